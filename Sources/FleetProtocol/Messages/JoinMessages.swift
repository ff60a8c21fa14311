/// What the peer with a key may do over the network.
public enum PeerRole: UInt8, CaseIterable, Sendable {
    /// Hosts the devices of its range.
    case node
    /// Sends requests of users.
    case client
    /// Sends requests of users that change nothing.
    case observer
    /// Sends requests of many users, and serves a page.
    case gateway

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

/// A request of a peer on another host: the exchange of a join token for the rights of the peer's key.
public struct JoinRequest: Sendable, Equatable {
    /// The token that `fleet join-command` printed.
    public let token: Token

    /// A request with a token.
    public init(token: Token) { self.token = token }
}

/// The reply to a ``JoinRequest``.
public enum JoinReply: Sendable, Equatable {
    /// Why the token gives no rights.
    case refusal(Refusal)
    /// The rights of the key with which the peer connected.
    case membership(Membership)
}

/// The rights of a peer's key.
public struct Membership: Sendable, Equatable {
    /// The name, unique among the keys of a fleet; of a node, also its name.
    public let name: NodeName
    /// What the peer may do.
    public let role: PeerRole
    /// The account to which the peer is limited; nil for all accounts.
    public let account: AccountID?
    /// Of a node: its devices, and the token for its hello.
    public let grant: NodeGrant?
    /// Of a node: the scenario to start with.
    public let scenario: String

    /// The rights with the given values.
    public init(
        name: NodeName, role: PeerRole, account: AccountID?, grant: NodeGrant? = nil, scenario: String = ""
    ) {
        (self.name, self.role, self.account) = (name, role, account)
        (self.grant, self.scenario) = (grant, scenario)
    }
}
