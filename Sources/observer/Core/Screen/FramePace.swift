import FleetProtocol

/// The times at which the screen may be drawn: at most 30 times in any second, and at once for a key.
///
/// Changes without a key are drawn every ``interval``. That leaves frames for keys: five at any time, and one
/// more each 40 ms (the generic cell rate algorithm, ITU-T I.371).
struct FramePace: Sendable {
    /// The interval between frames without a key.
    static let interval: Duration = .milliseconds(50)

    /// The time that a frame uses up, and how far frames may be ahead: 1 + (1,000 + 160) / 40 = 30 in a
    /// second.
    private static let share: Duration = .milliseconds(40)
    private static let ahead: Duration = share * 4

    private var last: MonotonicTime?
    /// The time at which all frames so far are used up.
    private var paid = MonotonicTime.zero
    /// Whether a key was pressed since the last frame.
    private var isUrgent = false

    /// A pace without frames.
    init() {}

    /// Notes that a key was pressed: the next frame is drawn as soon as one may be.
    mutating func hurry() { isUrgent = true }

    /// Begins a frame; returns false if it is too soon.
    mutating func claim(at now: MonotonicTime) -> Bool {
        guard wait(at: now) == .zero else { return false }
        last = now
        paid = max(paid, now).advanced(by: Self.share)
        isUrgent = false
        return true
    }

    /// Returns the time until the screen may be drawn.
    func wait(at now: MonotonicTime) -> Duration {
        guard let last else { return .zero }
        let allowed = now.duration(to: paid) - Self.ahead
        let due: Duration = isUrgent ? .zero : now.duration(to: last.advanced(by: Self.interval))
        return max(.zero, allowed, due)
    }
}
