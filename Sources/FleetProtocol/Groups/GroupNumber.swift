/// A group among those of an account, within one life of a controller.
public struct GroupNumber: Hashable, Sendable {
    /// No group: nobody said which.
    public static let none = GroupNumber(0)

    /// The number, from 1 to ``Limits/accountGroups``; 0 is none.
    public let value: UInt16

    /// The group of that number.
    public init(_ value: UInt16) {
        self.value = value
    }
}
