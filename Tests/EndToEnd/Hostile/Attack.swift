import FleetProtocol

/// Something that no honest process would send, and what the controller owes it.
struct Attack {
    /// What is wrong with it.
    enum Kind: String, CaseIterable {
        case truncated, oversize, overMaximum, manyFrames, wrongFrames, wrongVersion, unknownKind, garbage
        case malformed, duplicate, wrongOrder, foreign, claim, hugeNumbers, logIn, leaver, transport
        case subscription
    }

    /// Over which connection it goes.
    enum Connection {
        /// One that has been there from the start, and stays.
        case lasting
        /// A second lasting one, which never says who it is.
        case stranger
        /// One of its own, closed right after.
        case own
        /// One of its own, whose bytes are these instead of libzmq's; after a handshake, if there is one.
        case raw([UInt8], after: [UInt8] = [])
    }

    let kind: Kind
    var connection = Connection.lasting
    /// Each message with its frames.
    var messages: [[[UInt8]]] = []
    /// Answers that are owed; nil where nobody can say how many.
    var answers: Int? = 0
    /// Under which word the controller's log counts the messages; nil where it takes them, or never sees
    /// them.
    var refusedAs: String?

    /// How many messages it is.
    var count: Int { max(1, messages.count) }
}
