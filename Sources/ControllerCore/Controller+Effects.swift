public import FleetProtocol

extension Controller {
    /// The effects of the steps since the shell last took them, each kind in its order.
    ///
    /// The shell stores the changes first, because everything else may depend on them. Then it sends replies,
    /// messages and updates. Each kind has a list of its own: every element of an array of an enum would take
    /// the space of the largest case, and the shell would traverse the array once for each kind.
    public struct Effects: Sendable {
        // Structs rather than tuples, whose elements would be destroyed one by one through their metadata.

        /// A reply, with the client that receives it.
        public struct Reply: Sendable {
            public let client: ConnectionID
            public let reply: ClientReply

            /// Addresses a reply to a client.
            public init(client: ConnectionID, reply: ClientReply) {
                (self.client, self.reply) = (client, reply)
            }
        }

        /// A message, with the node that receives it.
        public struct Message: Sendable {
            public let node: ConnectionID
            public let message: ControllerMessage
        }

        /// An update, with the account whose observers receive it.
        public struct Update: Sendable {
            public let account: AccountID
            public let update: StreamUpdate
        }

        /// Changes that must be stored before any other effect is carried out.
        public internal(set) var changes: [StorageChange] = []
        /// Whether changes of requests have just been stored.
        public internal(set) var hasStoredRequests = false
        /// Replies, in the order in which they are sent.
        public var replies: [Reply] = []
        /// Messages, in the order in which they are sent.
        public var messages: [Message] = []
        /// Updates, in the order in which they are published.
        public var updates: [Update] = []
        /// The last updates of streams that have ended, each with the topic of its stream.
        public var lastUpdates: [(topic: StreamTopic, update: StreamUpdate)] = []
        /// Password checks for the worker outside the event loop.
        public var checks: [PasswordCheck] = []
        /// Passwords that the worker outside the event loop hashes.
        public var hashings: [PasswordHashing] = []
        /// Messages to users, which are delivered outside the event loop.
        public var outgoing: [OutgoingMessage] = []
        /// Requests to other cells.
        public var cellRequests: [RequestToCell] = []
        /// Work that moves of accounts leave to the shell.
        public var moveWork: [MoveWork] = []
        /// The epoch of a later controller, for which this one must stop; nil without one.
        public private(set) var fencing: Epoch?

        /// Creates an empty set of effects.
        public init() {}

        /// The number of effects.
        public var count: Int {
            changes.count + replies.count + messages.count + updates.count + lastUpdates.count + checks.count
                + hashings.count + outgoing.count + cellRequests.count + moveWork.count
                + (fencing == nil ? 0 : 1)
        }

        /// Whether the set is empty.
        public var isEmpty: Bool { count == 0 }

        @inline(__always)
        mutating func store(_ change: StorageChange) { changes.append(change) }

        mutating func reply(_ body: ClientReply.Body, to waiter: Waiter) {
            replies.append(
                Reply(
                    client: waiter.connection,
                    reply: ClientReply(correlation: waiter.correlation, body: body)))
        }

        mutating func refuse(_ refusal: Refusal, to waiter: Waiter) { reply(.refusal(refusal), to: waiter) }

        /// Stops the controller, because a later one has started.
        mutating func halt(fencedBy epoch: Epoch) { fencing = max(fencing ?? epoch, epoch) }

        /// Appends other effects.
        public mutating func append(_ others: Effects) {
            changes += others.changes
            hasStoredRequests = hasStoredRequests || others.hasStoredRequests
            replies += others.replies
            messages += others.messages
            updates += others.updates
            lastUpdates += others.lastUpdates
            checks += others.checks
            hashings += others.hashings
            outgoing += others.outgoing
            cellRequests += others.cellRequests
            moveWork += others.moveWork
            fencing = others.fencing ?? fencing
        }

        /// Removes all effects and keeps the capacity of the lists.
        public mutating func removeAll() {
            // To remove the elements of an empty list takes dozens of instructions.
            if !changes.isEmpty { changes.removeAll(keepingCapacity: true) }
            hasStoredRequests = false
            if !replies.isEmpty { replies.removeAll(keepingCapacity: true) }
            if !messages.isEmpty { messages.removeAll(keepingCapacity: true) }
            if !updates.isEmpty { updates.removeAll(keepingCapacity: true) }
            // The other lists are empty in most turns: one comparison checks them all.
            let others = lastUpdates.count | checks.count | hashings.count | outgoing.count
            if others | cellRequests.count | moveWork.count != 0 { removeOthers() }
            fencing = nil
        }

        private mutating func removeOthers() {
            lastUpdates.removeAll()
            checks.removeAll()
            hashings.removeAll()
            outgoing.removeAll()
            cellRequests.removeAll()
            moveWork.removeAll()
        }
    }
}

extension ControllerMessage {
    /// Whether the message must wait for earlier journal entries; one that only renews a lease need not.
    var needsJournal: Bool {
        switch body {
        case .command, .configure, .abort: true
        case .pong, .pull, .fault, .claimsRefused, .heal, .scenario, .retire, .listFaults, .renew, .moved,
            .refused:
            false
        }
    }
}
