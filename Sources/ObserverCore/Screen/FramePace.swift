public import FleetTime

/// When the screen may be drawn: 30 times in any second at most, and at once for a key.
///
/// What changes by itself is drawn every ``interval``. That leaves frames for keys: five of them may come at
/// any time, and one more each 40 ms (the generic cell rate algorithm, ITU-T I.371).
public struct FramePace: Sendable {
    /// From one frame to the next, where no key asks for one sooner.
    public static let interval: Duration = .milliseconds(50)

    /// For how long a frame counts, and how far frames may be ahead: 1 + (1,000 + 160) / 40 = 30 in a second.
    private static let share: Duration = .milliseconds(40)
    private static let ahead: Duration = share * 4

    private var last: MonotonicTime?
    /// When all frames so far have been paid for.
    private var paid = MonotonicTime.zero
    /// Whether a key waits for its answer.
    private var isUrgent = false

    /// Nothing drawn yet.
    public init() {}

    /// Takes that a key was pressed: the next frame comes as soon as one may.
    public mutating func hurry() { isUrgent = true }

    /// Takes that the screen is about to be drawn; false when that would be too soon.
    public mutating func take(at now: MonotonicTime) -> Bool {
        guard wait(at: now) == .zero else { return false }
        last = now
        paid = max(paid, now).advanced(by: Self.share)
        isUrgent = false
        return true
    }

    /// How long it is until the screen may be drawn.
    public func wait(at now: MonotonicTime) -> Duration {
        guard let last else { return .zero }
        let allowed = now.duration(to: paid) - Self.ahead
        let due: Duration = isUrgent ? .zero : now.duration(to: last.advanced(by: Self.interval))
        return max(.zero, allowed, due)
    }
}
