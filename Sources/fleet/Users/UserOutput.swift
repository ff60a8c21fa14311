import CSodium
import FleetProtocol
import UserText

extension User {
    var json: JSONObject {
        ["email": email.address, "role": role.name, "operator": isOperator]
    }

    static func table(of users: [User]) -> TextTable {
        var table = TextTable([("EMAIL", .left), ("ROLE", .left), ("OPERATOR", .left)])
        for user in users { table.add([user.email.address, user.role.name, user.isOperator ? "yes" : "no"]) }
        return table
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

    static func table(of keys: [APIKey]) -> TextTable {
        var table = TextTable([("NAME", .left), ("SCOPE", .left), ("CREATED", .left)])
        for key in keys { table.add([key.name.text, key.scope.name, TimeText.iso8601(key.madeAt)]) }
        return table
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
        guard let keys else {
            return ["email": email.address, "sessionsEnded": count]
        }
        return ["email": email.address, "sessionsEnded": count, "keysRevoked": keys]
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
