/// Who has written in a logbook.
public struct Author: Hashable, Sendable {
    /// The controller itself, which writes down what nobody else would.
    public static let controller = Author(number: .zero, email: nil)

    /// Their own for as long as anything of theirs is there.
    public let number: AuthorNumber
    /// Their name at log-in; nil for the controller.
    public let email: Email?

    private init(number: AuthorNumber, email: Email?) {
        self.number = number
        self.email = email
    }

    /// The user of that number.
    ///
    /// - Precondition: The number is not 0.
    public init(number: AuthorNumber, email: Email) {
        precondition(number != .zero, "0 stands for the controller")
        self.number = number
        self.email = email
    }
}
