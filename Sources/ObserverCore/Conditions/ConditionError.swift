/// A text that is no condition: where, and what is allowed there.
public struct ConditionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The column of the first character that is not understood, from 1.
    public let column: Int
    /// What is wrong there, and what is allowed, in words.
    public let problem: String

    /// Where, what is wrong, and what is allowed.
    public var description: String { "column \(column): \(problem)" }
}
