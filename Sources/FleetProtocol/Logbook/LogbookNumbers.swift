/// A post's place in its account's logbook: the first has 1, and no number is given twice.
public struct PostNumber: Ordinal {
    /// The number.
    public let value: UInt64
    /// The post of that number.
    public init(_ value: UInt64) { self.value = value }
}

/// A comment's place among all comments of its account's logbook: the first has 1, and no number is given
/// twice.
public struct CommentNumber: Ordinal {
    /// The number.
    public let value: UInt64
    /// The comment of that number.
    public init(_ value: UInt64) { self.value = value }
}

/// Who wrote, as a number within the account: the first who did has 1, and 0 stands for the controller.
public struct AuthorNumber: Ordinal {
    /// The number, below 2³².
    public let value: UInt64
    /// The author of that number.
    public init(_ value: UInt64) { self.value = value }
}
