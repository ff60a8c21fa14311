/// What the processes of an account's fleet have counted: the controller, and some of the nodes.
public struct CounterReport: Sendable, Equatable {
    /// What the controller has counted since it started, over all accounts.
    public struct Controller: Hashable, Sendable {
        /// Requests that clients have sent, of every kind, repeated ones too.
        public var requests: UInt64 = 0
        /// Commands that have ended, however they did.
        public var ended: UInt64 = 0
        /// Commands that went to nodes, repeated ones too.
        public var commands: UInt64 = 0
        /// Messages that nodes have sent.
        public var nodeMessages: UInt64 = 0
        /// Messages that nodes have published.
        public var telemetryMessages: UInt64 = 0
        /// Messages of nodes, and rows in them, that were not taken: late, doubled, or of no honest node.
        public var nodeRefusals: UInt64 = 0

        /// Nothing was counted.
        public init() {}
    }

    /// What a node has counted.
    public struct Node: Hashable, Sendable {
        /// The node.
        public let name: NodeName
        /// What it told last.
        public let counters: NodeCounters

        /// What a node of that name has told.
        public init(name: NodeName, counters: NodeCounters) {
            self.name = name
            self.counters = counters
        }
    }

    /// What the controller has counted.
    public let controller: Controller
    /// The account's nodes that are there and have told, ``Limits/counterNodes`` at most, in the order in
    /// which the controller came to know them.
    public let nodes: [Node]
    /// The cursor to ask with next.
    public let nextCursor: UInt32
    /// Whether nothing follows.
    public let isLast: Bool

    /// The report of those values.
    public init(controller: Controller, nodes: [Node], nextCursor: UInt32, isLast: Bool) {
        self.controller = controller
        self.nodes = nodes
        self.nextCursor = nextCursor
        self.isLast = isLast
    }
}
