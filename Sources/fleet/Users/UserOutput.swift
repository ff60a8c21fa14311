import CSodium
import FleetProtocol
import UserText

extension User {
    var json: JSONObject { ["email": email.address, "role": role.name, "operator": isOperator] }

    static var columns: [TextTable.Column<User>] {
        [
            ("EMAIL", .left, { $0.email.address }), ("ROLE", .left, { $0.role.name }),
            ("OPERATOR", .left, { $0.isOperator ? "yes" : "no" }),
        ]
    }
}

extension APIKey {
    /// The JSON object for scripts, without the secret.
    var json: JSONObject {
        ["name": name.text, "user": user.address, "scope": scope.name, "madeAtMs": madeAt.unixMilliseconds]
    }

    /// The JSON object for the script that creates the key: the only output with the secret.
    func json(with secret: Secret) -> JSONObject {
        ["name": name.text, "user": user.address, "scope": scope.name, "key": secret.text]
    }

    static var columns: [TextTable.Column<APIKey>] {
        [
            ("NAME", .left, { $0.name.text }), ("SCOPE", .left, { $0.scope.name }),
            ("CREATED", .left, { TimeText.iso8601($0.madeAt) }),
        ]
    }
}

/// The numbers of sessions and keys that a change of a user ended or revoked, for output.
struct EndedSessions: Equatable, Sendable {
    let email: Email
    /// The number of ended sessions.
    let count: Int
    /// The number of revoked keys; nil after the removal of the user.
    let keys: Int?

    /// The ended sessions and revoked keys of a user.
    init(of email: Email, count: Int, keys: Int? = nil) {
        (self.email, self.count, self.keys) = (email, count, keys)
    }

    var json: JSONObject {
        let ended: JSONObject = ["email": email.address, "sessionsEnded": count]
        return keys.map { ended + ["keysRevoked": $0] } ?? ended
    }

    var text: String {
        let sessions = count == 1 ? "1 session ended" : "\(count) sessions ended"
        guard let keys else { return sessions }
        return sessions + (keys == 1 ? ", 1 key was revoked" : ", \(keys) keys were revoked")
    }
}

/// The secret of an API key, shown once to the user who creates the key.
struct Secret {
    private let bytes: [UInt8]
    /// The cell that knows the key; nil for a fleet without cells.
    private let cell: CellName?

    /// Generates 32 random bytes.
    init(in cell: CellName?) {
        precondition(sodium_init() >= 0, "libsodium finds no source of randomness")
        var bytes = [UInt8](repeating: 0, count: Token.length)
        randombytes_buf(&bytes, bytes.count)
        (self.bytes, self.cell) = (bytes, cell)
    }

    /// The secret as users and programs store it.
    var text: String {
        guard let token = Token(bytes) else { preconditionFailure("a secret has \(Token.length) bytes") }
        return CellToken(token, in: cell).text
    }

    /// The SHA-256 digest that the controller stores in place of the secret.
    var digest: TokenDigest {
        var hash = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
        guard let digest = TokenDigest(hash) else { preconditionFailure("SHA-256 is 32 bytes") }
        return digest
    }
}
