public import FleetProtocol

extension Presence.Kind {
    /// A device's presence in words.
    public var words: String {
        switch self {
        case .online: "online"
        case .stale: "stale, its node is silent"
        case .offline(.disconnected): "offline, disconnected"
        case .offline(.nodeLeft): "offline, its node left"
        case .offline(.nodeLost): "offline, its node is lost"
        case .unknown: "not heard of since the controller started"
        }
    }

    /// A device's presence in a column of the table.
    public var shortWords: String {
        switch self {
        case .online: "online"
        case .stale: "stale (node silent)"
        case .offline(.disconnected): "offline (no link)"
        case .offline(.nodeLeft): "offline (node left)"
        case .offline(.nodeLost): "offline (node lost)"
        case .unknown: "unknown"
        }
    }

    /// A device's presence in a narrow column: online, or why it is not.
    public var reasonWords: String {
        switch self {
        case .online: "online"
        case .stale: "node silent"
        case .offline(.disconnected): "no link"
        case .offline(.nodeLeft): "node left"
        case .offline(.nodeLost): "node lost"
        case .unknown: "unknown"
        }
    }
}
