internal import CSodium
public import FleetProtocol

/// The secret of a run directory from which the tokens of its nodes follow: 32 random bytes.
///
/// A token is the keyed BLAKE2b hash of a node's name, its account and its range of devices, so the
/// controller checks it without a list of nodes. Its description never shows the bytes.
public struct NodeSecret: Sendable, CustomStringConvertible {
    /// The variable of the environment with which a launcher hands a node its token, 64 hexadecimal digits.
    public static let tokenVariable = "SENSIBUS_NODE_TOKEN"
    static let length = 32

    let bytes: [UInt8]

    /// The secret of those bytes; nil when there are not 32.
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
        // No name has a line's end in it, so no two grants are spelled alike.
        let words = ["sensibus node 1", account.name, node.text]
        let numbers = [range.seed, range.firstIndex, UInt64(range.count)].map(String.init)
        let message = Array((words + numbers).joined(separator: "\n").utf8)
        var digest = [UInt8](repeating: 0, count: Token.length)
        crypto_generichash(&digest, digest.count, message, UInt64(message.count), bytes, bytes.count)
        guard let token = Token(digest) else { preconditionFailure("a digest is \(Token.length) bytes") }
        return NodeGrant(range: range, token: token)
    }

    /// Whether a grant was made with this secret, for that node; takes as long whatever its token is.
    public func made(_ grant: NodeGrant, for node: NodeName, of account: AccountID) -> Bool {
        let expected = self.grant(grant.range, to: node, of: account).token.bytes
        return sodium_memcmp(expected, grant.token.bytes, expected.count) == 0
    }

    /// A word in place of the secret.
    public var description: String { "node secret" }
}

extension RunDirectory {
    /// The secret of its nodes; made by the first process that asks for it.
    ///
    /// - Throws: `damagedSecret`, or `system` with the call that failed.
    public func nodeSecret() throws(RuntimeError) -> NodeSecret {
        let file = PrivateFile(path: "\(path)/node-secret")
        if try file.read() == nil { try file.create(with: NodeSecret.newBytes()) }
        guard let secret = try file.read().flatMap(NodeSecret.init) else {
            throw .damagedSecret(path: "\(path)/node-secret")
        }
        return secret
    }
}
