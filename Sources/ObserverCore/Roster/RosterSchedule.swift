public import FleetTime

/// When a roster is loaded: every so often, when somebody asks, and again soon where that failed.
public struct RosterSchedule: Sendable {
    /// How long from one loading to the next, where nobody says.
    public static let usualInterval: Duration = .seconds(500)
    /// How long after it failed it is tried again: the first time, and the others.
    public static let retries: [Duration] = [.seconds(1), .seconds(4), .seconds(10)]

    private let interval: Duration
    /// When it is due; nil: at once.
    private var due: MonotonicTime?
    private var isLoading = false
    /// How often it failed in a row.
    private var failures = 0

    /// A schedule by which it is loaded at once, and then that often.
    public init(interval: Duration = Self.usualInterval) { self.interval = interval }

    /// Whether it is to be loaded now; whoever is told so says what became of it.
    public mutating func take(at now: MonotonicTime) -> Bool {
        guard !isLoading, due.map({ $0 <= now }) ?? true else { return false }
        isLoading = true
        return true
    }

    /// Somebody wants it now.
    public mutating func ask() { (due, failures) = (nil, 0) }

    /// It is loaded.
    public mutating func succeed(at now: MonotonicTime) {
        (isLoading, failures) = (false, 0)
        due = now.advanced(by: interval)
    }

    /// It could not be loaded.
    ///
    /// - Returns: Whether it was tried often enough for somebody to be told.
    public mutating func fail(at now: MonotonicTime) -> Bool {
        isLoading = false
        let isLast = failures >= Self.retries.count
        due = now.advanced(by: isLast ? interval : Self.retries[failures])
        failures = isLast ? 0 : failures + 1
        return isLast
    }
}
