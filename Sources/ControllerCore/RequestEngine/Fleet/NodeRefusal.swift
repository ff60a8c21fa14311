/// Why a node's message or row is refused.
public enum NodeRefusal: String, CaseIterable, Error, Sendable {
    /// The connection or the boot has not sent a hello.
    case notGreeted
    /// Rows that no open pull requested, such as a second answer to one.
    case unasked
    /// The boot has announced that it leaves.
    case left
    /// The table of nodes, accounts or devices is full.
    case noRoom
    /// Rows name a group that the node's hello does not have.
    case unknownGroup
    /// A hello with the boot of another node.
    case borrowedBoot
    /// A device outside the range for which the node has a token.
    case outOfRange
    /// A device that is not the node's.
    case foreignDevice
    /// A device's name that is not allowed, or that another device of the account has.
    case refusedName
    /// Numbers above ``Limits/largestOrdinal``.
    case uncountable
    /// An epoch that no controller can have had.
    case implausibleEpoch
    /// A device refuses an epoch without naming a higher one.
    case groundlessRefusal
    /// A device has lost state that it reported.
    case memoryWentBack

    /// Whether the network alone explains the refusal: it delays, duplicates and reorders messages.
    var isUsual: Bool {
        switch self {
        case .notGreeted, .unasked, .left, .foreignDevice: true
        case .noRoom, .unknownGroup, .borrowedBoot, .outOfRange, .refusedName, .uncountable,
            .implausibleEpoch, .groundlessRefusal, .memoryWentBack:
            false
        }
    }

    /// The reason in words, for a log.
    public var text: String {
        switch self {
        case .notGreeted: "no hello was received before it"
        case .unasked: "no pull is open for it"
        case .left: "the node has left"
        case .noRoom: "the table of nodes, accounts or devices is full"
        case .unknownGroup: "the hello does not have its group"
        case .borrowedBoot: "another node has the same boot ID"
        case .outOfRange: "the device is outside the range of the node's token"
        case .foreignDevice: "the device belongs to another node"
        case .refusedName: "the name is not allowed or another device has it; the ID is shown"
        case .uncountable: "a number is too high to be incremented"
        case .implausibleEpoch: "the epoch is more than a day ahead of the clock"
        case .groundlessRefusal: "a device refused an epoch without having seen a higher one"
        case .memoryWentBack: "a device lost reported state and must begin a new incarnation"
        }
    }
}
