import FleetProtocol

/// The times at which the roster or the logbook is loaded: at an interval, on request, and with retries
/// after a failure.
struct LoadSchedule: Sendable {
    /// The default interval of a roster.
    static let usualInterval: Duration = .seconds(500)
    static let retries: [Duration] = [.seconds(1), .seconds(4), .seconds(10)]

    private let interval: Duration
    /// The time of the next load; nil for immediately.
    private var due: MonotonicTime?
    private var isLoading = false
    private var failures = 0

    init(interval: Duration = Self.usualInterval) { self.interval = interval }

    /// Returns whether to load now; the caller then reports the result.
    mutating func claim(at now: MonotonicTime) -> Bool {
        guard !isLoading, due.map({ $0 <= now }) ?? true else { return false }
        isLoading = true
        return true
    }

    mutating func ask() { (due, failures) = (nil, 0) }

    mutating func succeed(at now: MonotonicTime) {
        (isLoading, failures) = (false, 0)
        due = now.advanced(by: interval)
    }

    /// Reports that it could not be loaded; returns whether all retries have failed, to tell the user.
    mutating func fail(at now: MonotonicTime) -> Bool {
        isLoading = false
        let isLast = failures >= Self.retries.count
        due = now.advanced(by: isLast ? interval : Self.retries[failures])
        failures = isLast ? 0 : failures + 1
        return isLast
    }
}
