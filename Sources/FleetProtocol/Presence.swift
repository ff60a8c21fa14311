public import FleetTime

/// Where a device or a node is, as the controller sees it.
public struct Presence: Hashable, Sendable {
    /// The kinds of being there or not.
    public enum Kind: Hashable, Sendable {
        /// The node's lease is live and the device says it is connected.
        case online
        /// Nothing heard from the node for ``Limits/staleAfter``.
        case stale
        /// Not there, for a reason.
        case offline(Reason)
        /// The controller has just started and the node has not said hello.
        case unknown

        /// Its word in documents and JSON.
        public var name: String {
            switch self {
            case .online: "online"
            case .stale: "stale"
            case .offline: "offline"
            case .unknown: "unknown"
            }
        }
    }

    /// Why something is offline.
    public enum Reason: UInt8, CaseIterable, Hashable, Sendable {
        /// The device said so.
        case disconnected
        /// Its node left in good order.
        case nodeLeft
        /// Its node's lease ended.
        case nodeLost

        /// Its word in documents and JSON.
        public var name: String { "\(self)" }
    }

    /// Which of them.
    public let kind: Kind
    /// Since when.
    public let since: WallTime

    /// That presence since that time.
    public init(_ kind: Kind, since: WallTime) {
        self.kind = kind
        self.since = since
    }

    /// Why it is offline; nil when it is not.
    public var reason: Reason? {
        if case .offline(let reason) = kind { reason } else { nil }
    }

    /// A device's presence: its node's joined with what the device says of its own connection.
    public static func joined(node: Presence, isConnected: Bool, connectedSince: WallTime) -> Presence {
        switch node.kind {
        case .online, .stale:
            isConnected
                ? Presence(node.kind, since: max(node.since, connectedSince))
                : Presence(.offline(.disconnected), since: connectedSince)
        case .offline, .unknown: node
        }
    }
}
