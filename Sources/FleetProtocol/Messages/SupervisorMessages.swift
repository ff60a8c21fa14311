extension FleetProcess.State {
    /// The name, in lower case.
    public var name: String { "\(self)" }
}

extension PeerRole {
    /// The name in commands and files.
    public var name: String {
        switch self {
        case .node: "node"
        case .client: "client"
        case .observer: "observer"
        case .gateway: "gateway"
        }
    }
}
