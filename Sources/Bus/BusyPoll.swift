/// Whether a loop begins its next wait awake: asking again and again whether anything has come, before it
/// lets the system put it to sleep.
///
/// To be woken takes a thread ten microseconds and more, longer than most of what it then does. To stay awake
/// for nothing takes the time of others. So it is done for a bounded time, as long as that mostly finds
/// something: a few waits in vain, and the next waits sleep at once.
struct BusyPoll {
    /// The highest credit, which is gone after two waits in vain.
    private static let mostCredit = 8
    /// What a wait in vain takes of the credit.
    private static let price = 4
    /// Waits that sleep at once when there is no credit left.
    private static let pause = 16

    /// The longest that a wait stays awake; zero for never.
    var limit: Duration = .zero

    private var credit = 0

    /// Whether the next wait is to begin awake; counts those that are not.
    mutating func begins() -> Bool {
        guard limit > .zero else { return false }
        guard credit < 0 else { return true }
        credit += 1
        return false
    }

    /// Notes whether something came while the wait was awake.
    mutating func ended(finding something: Bool) {
        if something {
            credit = min(credit + 1, Self.mostCredit)
        } else {
            credit = credit < Self.price ? -Self.pause : credit - Self.price
        }
    }
}
