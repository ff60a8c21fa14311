internal import CSodium
public import FleetClient
public import FleetProtocol
import FoundationEssentials

/// A session in a file of mode 0600, for later commands.
public struct StoredSession: Equatable, Sendable, CustomStringConvertible {
    /// The email of the user who logged in.
    public let email: Email
    /// The account whose devices the user sees.
    public let account: AccountID
    /// The user's role, which decides the permissions.
    public let role: Session.Role
    /// The secret that identifies the session to the controller.
    public let token: Token
    /// The cell of the account; nil for a fleet without cells.
    public let cell: CellName?

    /// The stored form of a session returned by a log-in.
    public init(_ session: Session, token: Token) {
        self.init(
            email: session.email, account: session.account, role: session.role, token: token,
            cell: session.cell)
    }

    /// A session with the given values.
    public init(email: Email, account: AccountID, role: Session.Role, token: Token, cell: CellName? = nil) {
        (self.email, self.account, self.role) = (email, account, role)
        (self.token, self.cell) = (token, cell)
    }

    /// The session after its account was moved to a cell.
    public func moved(to cell: CellName) -> StoredSession {
        StoredSession(email: email, account: account, role: role, token: token, cell: cell)
    }

    /// Reads the session from a file.
    public static func read(from path: String) throws(RuntimeError) -> StoredSession {
        guard let content = try PrivateFile(path: path).read() else { throw .noSession(path: path) }
        do {
            return try JSONDecoder().decode(StoredSession.self, from: Data(content))
        } catch {
            // The decoder's error may quote the file, and with it the token.
            throw .damagedSession(path: path)
        }
    }

    /// Writes the session to a file atomically: a reader sees the previous session or this one.
    public func write(to path: String) throws(RuntimeError) {
        try PrivateFile(path: path).replace(with: jsonLines())
    }

    /// Removes the file; does nothing for a missing file.
    public static func remove(at path: String) throws(RuntimeError) { try PrivateFile(path: path).remove() }

    /// The email, the account and the role, never the token.
    public var description: String { "\(email) in account \(account), \(role.name)" }
}

extension StoredSession: Codable {
    private enum CodingKeys: String, CodingKey {
        case email, account, role, token
    }

    /// Decodes the four texts; the token is that of `CellToken.text`.
    public init(from decoder: any Decoder) throws {
        let texts = try decoder.container(keyedBy: CodingKeys.self)
        let token = try texts.value(.token) { CellToken($0) }
        self.init(
            email: try texts.value(.email) { Email($0) },
            account: try texts.value(.account) { AccountID($0) },
            role: try texts.value(.role) { name in Session.Role.allCases.first { $0.name == name } },
            token: token.token, cell: token.cell)
    }

    /// Encodes the four texts.
    public func encode(to encoder: any Encoder) throws {
        var texts = encoder.container(keyedBy: CodingKeys.self)
        try texts.encode(email.address, forKey: .email)
        try texts.encode(account.name, forKey: .account)
        try texts.encode(role.name, forKey: .role)
        try texts.encode(CellToken(token, in: cell).text, forKey: .token)
    }
}

/// The secret of a run directory from which its node tokens derive: 32 random bytes. A token is the keyed
/// BLAKE2b hash of a node's name, its account and its range of devices, so the controller checks it without a
/// list of nodes. Its description never shows the bytes.
public struct NodeSecret: Sendable, CustomStringConvertible {
    /// The environment variable in which a launcher passes a node its token, 64 hexadecimal digits.
    public static let tokenVariable = "SENSIBUS_NODE_TOKEN"
    static let length = 32

    let bytes: [UInt8]

    /// The secret with the given bytes; nil unless there are 32.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// The bytes of a new secret, from the system's random generator.
    static func newBytes() -> [UInt8] {
        precondition(sodium_init() >= 0, "libsodium cannot be set up")
        var bytes = [UInt8](repeating: 0, count: length)
        randombytes_buf(&bytes, bytes.count)
        return bytes
    }

    /// The proof that a node may host devices.
    public func grant(_ range: DeviceRange, to node: NodeName, of account: AccountID) -> NodeGrant {
        // Names contain no line feed, so different grants have different messages.
        let parts = ["sensibus node 1", account.name, node.text]
        let numbers = [range.seed, range.firstIndex, UInt64(range.count)].map(String.init)
        let message = Array((parts + numbers).joined(separator: "\n").utf8)
        var digest = [UInt8](repeating: 0, count: Token.length)
        crypto_generichash(&digest, digest.count, message, UInt64(message.count), bytes, bytes.count)
        guard let token = Token(digest) else { preconditionFailure("a digest is \(Token.length) bytes") }
        return NodeGrant(range: range, token: token)
    }

    /// Whether a grant was made with this secret, for that node; compares the tokens in constant time.
    public func made(_ grant: NodeGrant, for node: NodeName, of account: AccountID) -> Bool {
        let expected = self.grant(grant.range, to: node, of: account).token.bytes
        return sodium_memcmp(expected, grant.token.bytes, expected.count) == 0
    }

    /// A fixed text without the secret.
    public var description: String { "node secret" }
}

extension RunDirectory {
    /// Reads the node secret; the first call creates it.
    public func nodeSecret() throws(RuntimeError) -> NodeSecret {
        let stored = PrivateFile(.nodeSecret, in: self)
        if try stored.read() == nil { try stored.create(with: NodeSecret.newBytes()) }
        guard let secret = try stored.read().flatMap(NodeSecret.init) else {
            throw .damagedSecret(path: RunFile.nodeSecret.path(in: self))
        }
        return secret
    }
}

extension StoredSession {
    public var credentials: Credentials { Credentials(user: email, token: token) }
}

extension FleetClient {
    /// Uses a session for requests that name none, and connects to its cell.
    public func use(_ session: StoredSession) {
        if let cell = session.cell { connect(to: cell) }
        use(session.credentials)
    }
}
