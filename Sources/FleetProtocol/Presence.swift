/// The presence of a device or a node, as the controller sees it.
public struct Presence: Hashable, Sendable {
    /// The kinds of presence.
    public enum Kind: Hashable, Sendable {
        /// The node's lease is valid, and the device reports that it is connected.
        case online
        /// No message from the node for ``Limits/staleAfter``.
        case stale
        /// Offline, with the reason.
        case offline(Reason)
        /// The controller has just started, and the node has not sent a hello.
        case unknown

        /// The name in documents and JSON.
        public var name: String {
            switch self {
            case .online: "online"
            case .stale: "stale"
            case .offline: "offline"
            case .unknown: "unknown"
            }
        }
    }

    /// The kind.
    public let kind: Kind
    /// The time of the last change.
    public let since: WallTime

    /// A presence since a time.
    public init(_ kind: Kind, since: WallTime) { (self.kind, self.since) = (kind, since) }

    /// The reason for being offline; nil for any other kind.
    public var reason: Reason? {
        if case .offline(let reason) = kind { reason } else { nil }
    }

    /// Returns a device's presence: its node's, combined with the device's own connection.
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

extension Presence.Reason {
    /// The name in documents and JSON.
    public var name: String { "\(self)" }
}
