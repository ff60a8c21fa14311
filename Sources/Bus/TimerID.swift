/// One scheduled piece of work of a ``Loop``, to cancel it by.
public struct TimerID: Hashable, Sendable {
    /// Numbered from 1 in the order of scheduling, never used again.
    let number: UInt64
}
