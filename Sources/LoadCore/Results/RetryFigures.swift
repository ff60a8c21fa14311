/// What the requests were told that were sent twice.
public struct RetryFigures: Codable, Equatable, Sendable {
    /// Both copies were told the same end, as is promised.
    public internal(set) var alike = 0
    /// They were told different ends: a promise was broken.
    public internal(set) var different = 0
    /// One of them was refused, or told that nothing is known yet: nothing to compare.
    public internal(set) var undecided = 0
    /// A copy had no answer.
    public internal(set) var noAnswer = 0
}
