public import FleetProtocol

extension Controller {
    /// What a controller wants done since that was last carried out, each kind in its order.
    ///
    /// First the changes are stored, because everything else may depend on them; then clients are answered,
    /// nodes told, and updates published. A list for each kind: an array of an enum has room for its largest
    /// case in every place, and is gone through once for each kind.
    public struct Effects: Sendable {
        /// To be stored before anything leaves.
        public internal(set) var changes: [StorageChange] = []
        /// Whether changes of requests were among those that were stored now.
        public internal(set) var hasStoredRequests = false
        /// Answers, each with the client that gets it.
        public var replies: [(client: ConnectionID, reply: ClientReply)] = []
        /// Messages, each with the node that gets it.
        public var messages: [(node: ConnectionID, message: ControllerMessage)] = []
        /// Updates, each with the account whose watchers get it.
        public var updates: [(account: AccountID, update: StreamUpdate)] = []
        /// The last updates of streams that have ended, each with the topic of its stream.
        public var lastUpdates: [(topic: StreamTopic, update: StreamUpdate)] = []
        /// Passwords to be checked away from the loop.
        public var checks: [PasswordCheck] = []
        /// Passwords to be hashed away from the loop.
        public var hashings: [PasswordHashing] = []
        /// Messages to users, to be handed over away from the loop.
        public var outgoing: [OutgoingMessage] = []
        /// Whose epoch is above ours: somebody else is the controller now, and this one must stop.
        public private(set) var fencing: Epoch?

        /// Nothing.
        public init() {}

        /// How many there are.
        public var count: Int {
            changes.count + replies.count + messages.count + updates.count + lastUpdates.count + checks.count
                + hashings.count + outgoing.count + (fencing == nil ? 0 : 1)
        }

        /// Whether there is nothing to be done.
        public var isEmpty: Bool { count == 0 }

        /// Adds a change to be stored.
        @inline(__always)
        mutating func store(_ change: StorageChange) {
            changes.append(change)
        }

        /// Adds a reply.
        mutating func reply(_ body: ClientReply.Body, to waiter: Waiter) {
            replies.append((waiter.connection, ClientReply(correlation: waiter.correlation, body: body)))
        }

        /// Adds a refusal.
        mutating func refuse(_ refusal: Refusal, to waiter: Waiter) {
            reply(.refusal(refusal), to: waiter)
        }

        /// Has the controller stop.
        mutating func halt(fencedBy epoch: Epoch) {
            fencing = max(fencing ?? epoch, epoch)
        }

        /// Adds others behind these.
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
            fencing = others.fencing ?? fencing
        }

        /// Forgets them, and keeps the room that they took.
        public mutating func removeAll() {
            changes.removeAll(keepingCapacity: true)
            hasStoredRequests = false
            replies.removeAll(keepingCapacity: true)
            messages.removeAll(keepingCapacity: true)
            updates.removeAll(keepingCapacity: true)
            // Most turns have none of the others: one comparison for all.
            if lastUpdates.count | checks.count | hashings.count | outgoing.count != 0 { removeOthers() }
            fencing = nil
        }

        private mutating func removeOthers() {
            lastUpdates.removeAll()
            checks.removeAll()
            hashings.removeAll()
            outgoing.removeAll()
        }
    }
}

extension ControllerMessage {
    /// Whether it depends on what is journalled before it: what keeps a node's lease alive does not.
    var needsJournal: Bool {
        switch body {
        case .command, .configure, .abort: true
        case .pong, .pull, .fault, .taken, .heal, .scenario, .retire, .listFaults, .renew: false
        }
    }
}
