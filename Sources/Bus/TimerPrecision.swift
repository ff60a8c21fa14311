internal import CZMQ
internal import Glibc

/// How exactly a loop wakes for what is due.
public enum TimerPrecision: Sendable {
    /// Never early, and up to a millisecond late: what is due within one millisecond shares a wake-up.
    case millisecond
    /// Never early, and as soon as the system can: at the price of a wake-up for each moment.
    case exact

    /// The system's own leeway, in which it gathers the wake-ups of several threads: its default is 50 µs.
    private static let leastSlackNs: UInt = 1
    private static let defaultSlackNs: UInt = 0

    /// Tells the system how exact the current thread wants it.
    func begin() {
        if self == .exact { Self.setSlack(Self.leastSlackNs) }
    }

    /// Takes that back.
    func end() {
        if self == .exact { Self.setSlack(Self.defaultSlackNs) }
    }

    /// How long to wait at most for what is due after a duration.
    func limit(of duration: Duration) -> Duration {
        switch self {
        case .millisecond: .milliseconds(duration.wholeMilliseconds)
        case .exact: max(.zero, duration)
        }
    }

    private static func setSlack(_ nanoseconds: UInt) {
        let result = sensibus_set_timer_slack(nanoseconds)
        precondition(result == 0, "the system refuses a thread its own slack: errno \(errno)")
    }
}
