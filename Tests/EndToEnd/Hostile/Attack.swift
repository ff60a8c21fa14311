import FleetProtocol

/// A message that no honest process would send, and the replies that the controller owes it.
struct Attack {
    /// The error in the message.
    enum Kind: String, CaseIterable {
        case truncated, oversize, overMaximum, manyFrames, wrongFrames, wrongVersion, unknownKind, garbage
        case malformed, duplicate, wrongOrder, foreign, claim, hugeNumbers, logIn, leaver, transport
        case subscription
    }

    /// The connection that it is sent on.
    enum Connection {
        /// A connection that exists from the start to the end.
        case lasting
        /// A second lasting connection, without a hello.
        case stranger
        /// A connection of its own, closed right after.
        case own
        /// A connection of its own with these bytes instead of libzmq's, after a handshake as that kind of
        /// socket, if there is one.
        case raw([UInt8], as: String? = nil)
    }

    let kind: Kind
    var connection = Connection.lasting
    /// Each message with its frames.
    var messages: [[[UInt8]]] = []
    /// The replies that are owed; nil if their number is unknown.
    var answers: Int? = 0
    /// The label under which the controller's log counts the messages; nil if it accepts them, or does not
    /// see them.
    var refusedAs: String?

    /// The number of messages.
    var count: Int { max(1, messages.count) }
}
