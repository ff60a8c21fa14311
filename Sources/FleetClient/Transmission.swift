import Stepping

/// When one message leaves, and when it leaves again.
struct Transmission: Sendable {
    /// What makes a message leave a second time.
    enum Repeats: Sendable {
        /// Nothing: doing twice what it asks is not the same as doing it once.
        case never
        /// A new connection: the answer may have died with the old one.
        case onNewConnection
        /// That, and silence.
        case onSilence
    }

    /// The silence on a live connection after which a message leaves again.
    static let silence: Duration = .seconds(1)
    /// The pause after which a message is offered again that the socket did not take.
    static let pause: Duration = .milliseconds(10)
    /// The longest waiting time before the first try; it doubles with each.
    static let jitterBase: Duration = .milliseconds(50)
    /// What the waiting time never exceeds.
    static let jitterCap: Duration = .milliseconds(500)

    private let repeats: Repeats
    /// How often the message has left.
    private(set) var copies = 0
    /// How often it has since anything was heard.
    private var triesInSilence = 0
    /// When it is to leave; nil while that depends on something else.
    private(set) var nextSend: MonotonicTime?

    /// A message that is to leave now.
    init(_ repeats: Repeats, at now: MonotonicTime) {
        self.repeats = repeats
        nextSend = now
    }

    /// Whether the message is to be offered to the socket; then ``left(at:using:)`` or
    /// ``blocked(at:isConnected:)`` must follow.
    mutating func takeDue(at now: MonotonicTime) -> Bool {
        guard let due = nextSend, due <= now else { return false }
        nextSend = nil
        return true
    }

    /// The socket took it.
    mutating func left(at now: MonotonicTime, using generator: inout SeededGenerator) {
        copies += 1
        guard case .onSilence = repeats else { return }
        nextSend = now.advanced(by: Self.silence + jitter(using: &generator))
    }

    /// The socket did not take it: it has no connection, or no room.
    mutating func blocked(at now: MonotonicTime, isConnected: Bool) {
        nextSend = isConnected ? now.advanced(by: Self.pause) : nil
    }

    /// There is a new connection, which is a sign of life too.
    mutating func connected(at now: MonotonicTime, using generator: inout SeededGenerator) {
        triesInSilence = 0
        if copies == 0 {
            nextSend = now
        } else if repeats != .never {
            nextSend = now.advanced(by: jitter(using: &generator))
        }
    }

    /// The controller gave a sign of life that is no end.
    mutating func heard(at now: MonotonicTime, using generator: inout SeededGenerator) {
        triesInSilence = 0
        guard case .onSilence = repeats else { return }
        nextSend = now.advanced(by: Self.silence + jitter(using: &generator))
    }

    /// A random part of a span that doubles with each try: many clients never come back in one burst.
    private mutating func jitter(using generator: inout SeededGenerator) -> Duration {
        let span = min(Self.jitterCap, Self.jitterBase * (1 << min(triesInSilence, 10)))
        triesInSilence += 1
        return .nanoseconds(Int64.random(in: 0...span.wholeNanoseconds, using: &generator))
    }
}
