import CSodium
public import FleetProtocol

/// The secret of all cells of an installation: 32 random bytes in a file of mode 0600. From it follow the
/// token with which controllers and operators of all cells identify themselves, and the key of the
/// directories' hashes. Its description never shows the bytes.
public struct CellSecret: Equatable, Sendable, CustomStringConvertible {
    /// The environment variable with the path of the file.
    public static let variable = "SENSIBUS_CELL_SECRET"
    private static let keyLength = 32

    private let bytes: [UInt8]

    /// The path of the secret of a list of cells: `cells.secret` beside `cells.yaml`, unless the environment
    /// names another.
    public static func file(beside list: String, environment: [String: String]) -> String {
        if let named = environment[variable] { return named }
        let stem = list.hasSuffix(".yaml") ? String(list.dropLast(".yaml".count)) : list
        return "\(stem).secret"
    }

    /// Reads the secret; nil for a missing file.
    public static func read(from path: String) throws(RuntimeError) -> CellSecret? {
        guard let line = try PrivateFile(path: path, isGiven: true).firstLine() else { return nil }
        guard let token = Token(hexadecimal: line) else { throw .damagedKey(path: path) }
        return CellSecret(bytes: token.bytes)
    }

    /// Writes a new secret, unless there is one.
    public static func make(at path: String) throws(RuntimeError) {
        let bytes = NodeSecret.newBytes()
        try PrivateFile(path: path).create(with: Array("\(bytes.hexadecimal)\n".utf8))
    }

    /// The token of controllers and of operators of all cells.
    public var token: Token {
        guard let token = Token(derived("sensibus cells: token 1")) else {
            preconditionFailure("a derived key has \(Token.length) bytes")
        }
        return token
    }

    /// The keyed hash of the cells' directories.
    public var hash: @Sendable ([UInt8]) -> CellHash {
        let key = derived("sensibus cells: directory 1")
        return { message in
            var digest = [UInt8](repeating: 0, count: 16)
            crypto_generichash(&digest, digest.count, message, UInt64(message.count), key, key.count)
            let halves = [digest[..<8], digest[8...]].map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
            return CellHash(high: halves[0], low: halves[1])
        }
    }

    /// A constant in place of the bytes.
    public var description: String { "cell secret" }

    private func derived(_ purpose: String) -> [UInt8] {
        precondition(sodium_init() >= 0, "libsodium cannot be set up")
        var key = [UInt8](repeating: 0, count: Self.keyLength)
        let message = Array(purpose.utf8)
        crypto_generichash(&key, key.count, message, UInt64(message.count), bytes, bytes.count)
        return key
    }
}
