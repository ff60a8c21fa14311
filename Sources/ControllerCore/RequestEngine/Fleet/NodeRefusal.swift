/// Why a node's message or row is refused.
public enum NodeRefusal: String, CaseIterable, Sendable {
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
        case .noRoom, .unknownGroup, .borrowedBoot, .outOfRange, .uncountable, .implausibleEpoch,
            .groundlessRefusal, .memoryWentBack:
            false
        }
    }

    /// The reason in words, for a log.
    public var words: String {
        switch self {
        case .notGreeted: "no hello came before it"
        case .unasked: "nothing was asked for"
        case .left: "the node has left"
        case .noRoom: "the table of nodes, accounts or devices is full"
        case .unknownGroup: "a group that the hello does not name"
        case .borrowedBoot: "the boot of another node"
        case .outOfRange: "a device outside the range of the node's token"
        case .foreignDevice: "a device of another node"
        case .uncountable: "a number too high to count on from"
        case .implausibleEpoch: "an epoch more than a day ahead of the clock"
        case .groundlessRefusal: "an epoch refused for none that is higher"
        case .memoryWentBack: "a device's memory went back: it begins a new incarnation"
        }
    }
}
