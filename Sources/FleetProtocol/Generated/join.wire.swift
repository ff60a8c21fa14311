// Made by protoc-gen-fleetwire from sensibus/v1/join.proto: `make proto` makes it again.
// swift-format-ignore-file

/// What the peer with a key may do.
public enum PeerRole: UInt8, CaseIterable, Hashable, Sendable {
    /// To connect to `devices` and `telemetry`, as the node with the key's name.
    case node
    /// To connect to `clients` and `stream`.
    case client
    /// The same, without requests that change anything but sessions.
    case observer
    /// The same as a client, with log-ins of many senders.
    case gateway
}

extension PeerRole {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .node
        case 2: self = .client
        case 3: self = .observer
        case 4: self = .gateway
        default: throw .malformed(field, "a role")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .node: 1
        case .client: 2
        case .observer: 3
        case .gateway: 4
        }
    }
}

/// A request of a peer on another host: the exchange of a join token for the rights of the peer's key.
public struct JoinRequest: Equatable, Sendable {
    /// 32 bytes; `fleet join-command` prints it. The same key may use it again, with the same result.
    public let token: Token

    public init(token: Token) {
        self.token = token
    }
}

extension JoinRequest: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var `protocol` = UInt32(0)
        var token: [UInt8] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&`protocol`)
            case 2: try fields.read(&token)
            default: break
            }
        }
        try WireError.check(version: `protocol`)
        self.init(token: try Token(wire: token, field: "token"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            fields.put(2, token.wire)
        }
    }
}

/// The reply to a `JoinRequest`.
public enum JoinReply: Equatable, Sendable {
    /// Why the token gives no rights.
    case refusal(Refusal)
    /// The rights of a key.
    case membership(Membership)
}

extension JoinReply: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var `protocol` = UInt32(0)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&`protocol`)
            case 10...11: try fields.read(&body)
            default: break
            }
        }
        try WireError.check(version: `protocol`)
        self = try JoinReply(wire: body.required("body: a reply of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            write(to: &fields)
        }
    }
}

extension JoinReply {
    /// The case that the message in `JoinReply.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 10: self = .refusal(try Refusal(wire: choice.message))
        default: self = .membership(try Membership(wire: choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .refusal(let value): fields.put(10, value)
        case .membership(let value): fields.put(11, value)
        }
    }
}

/// The rights of a key.
public struct Membership: Hashable, Sendable {
    /// Unique among the keys of the fleet; of a node, also its name.
    public let name: NodeName
    public let role: PeerRole
    /// Empty: all accounts.
    public let account: AccountID?
    /// Of a node: its devices, and the token for its hello.
    public let grant: NodeGrant?
    /// Of a node: the scenario to start with, a name.
    public let scenario: String

    public init(name: NodeName, role: PeerRole, account: AccountID? = nil, grant: NodeGrant? = nil, scenario: String = "") {
        self.name = name
        self.role = role
        self.account = account
        self.grant = grant
        self.scenario = scenario
    }
}

extension Membership: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var name = ""
        var role = UInt32(0)
        var account = ""
        var grant: FieldReader?
        var scenario = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&name)
            case 2: try fields.read(&role)
            case 3: try fields.read(&account)
            case 4: try fields.read(&grant)
            case 5: try fields.read(&scenario)
            default: break
            }
        }
        self.init(
            name: try NodeName(wire: name, field: "membership.name"),
            role: try PeerRole(wire: role, field: "membership.role"),
            account: try account.isEmpty ? nil : AccountID(wire: account, field: "membership.account"),
            grant: try grant.map { value throws(WireError) in try NodeGrant(wire: value) },
            scenario: try scenario.checked(bytes: Limits.scenarioBytes, field: "membership.scenario"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, name.wire)
        fields.put(2, role.wire)
        if let value = account { fields.put(3, value.wire) }
        if let value = grant { fields.put(4, value) }
        fields.put(5, scenario)
    }
}
