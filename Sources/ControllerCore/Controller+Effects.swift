public import FleetProtocol

extension Controller {
    // Speed: see performance.md, "lists".
    /// The effects of the steps since the shell last took them, each kind in its order.
    ///
    /// The shell stores the changes first, because everything else may depend on them. Then it sends replies,
    /// messages and updates.
    public struct Effects: Sendable {
        /// A reply, with the client that receives it.
        public struct Reply: Sendable {
            public let client: ConnectionID
            public let reply: ClientReply

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

        /// An effect of which most turns have none.
        public enum Rare: Sendable {
            /// The last update of a stream that has ended, under the topic of the stream.
            case publishLast(StreamTopic, StreamUpdate)
            /// A password check for the worker outside the event loop.
            case check(PasswordCheck)
            /// A password that the worker outside the event loop hashes.
            case hash(PasswordHashing)
            /// A message to a user, which is delivered outside the event loop.
            case message(OutgoingMessage)
            case askCell(RequestToCell)
            /// Work that moves of accounts leave to the shell.
            case move(MoveWork)

            /// Whether it must wait until the changes of its turn are stored.
            var needsJournal: Bool {
                switch self {
                case .publishLast, .message: true
                case .check, .hash, .askCell, .move: false
                }
            }
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
        /// The rare effects, in the order in which they are carried out, after all others.
        public var rare: [Rare] = []
        /// The epoch of a later controller, for which this one must stop; nil without one.
        public private(set) var fencing: Epoch?

        /// Creates an empty set of effects.
        public init() {}

        public var count: Int {
            changes.count + replies.count + messages.count + updates.count + rare.count
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

        public mutating func append(_ others: Effects) {
            changes += others.changes
            hasStoredRequests = hasStoredRequests || others.hasStoredRequests
            replies += others.replies
            messages += others.messages
            updates += others.updates
            rare += others.rare
            fencing = others.fencing ?? fencing
        }

        /// Discards the changes, which nothing stores; returns whether changes of requests were among them.
        package mutating func discardChanges() -> Bool {
            defer { changes.removeAll(keepingCapacity: true) }
            return changes.contains { $0.isOfRequest }
        }

        /// Removes all effects and keeps the capacity of the lists.
        public mutating func removeAll() {
            // Speed: see performance.md, "lists".
            if !changes.isEmpty { changes.removeAll(keepingCapacity: true) }
            hasStoredRequests = false
            if !replies.isEmpty { replies.removeAll(keepingCapacity: true) }
            if !messages.isEmpty { messages.removeAll(keepingCapacity: true) }
            if !updates.isEmpty { updates.removeAll(keepingCapacity: true) }
            if !rare.isEmpty { rare.removeAll() }
            fencing = nil
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
