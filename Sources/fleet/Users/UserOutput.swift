import CSodium
import FleetClient
import FleetProtocol
import Stepping
import Wording

extension User {
    /// The line for scripts.
    var json: JSONValue {
        [
            "email": .string(email.address), "role": .string(role.name), "operator": .bool(isOperator),
        ]
    }

    /// The table for people.
    static func table(of users: [User]) -> TextTable {
        var table = TextTable([("EMAIL", .left), ("ROLE", .left), ("OPERATOR", .left)])
        for user in users {
            table.add([user.email.address, user.role.name, user.isOperator ? "yes" : "no"])
        }
        return table
    }
}

extension APIKey {
    /// The line for scripts, which never has the key itself.
    var json: JSONValue {
        [
            "name": .string(name.text), "user": .string(user.address), "scope": .string(scope.name),
            "madeAtMs": .integer(madeAt.unixMilliseconds),
        ]
    }

    /// The line for the script that makes it: the only one to have the key itself.
    func json(with secret: Secret) -> JSONValue {
        [
            "name": .string(name.text), "user": .string(user.address), "scope": .string(scope.name),
            "key": .string(secret.text),
        ]
    }

    /// The table for people.
    static func table(of keys: [APIKey]) -> TextTable {
        var table = TextTable([("NAME", .left), ("SCOPE", .left), ("MADE", .left)])
        for key in keys { table.add([key.name.text, key.scope.name, TimeText.iso8601(key.madeAt)]) }
        return table
    }
}

/// How many sessions ended with a change of a user, and how many keys were revoked, ready to be told.
struct EndedSessions: Equatable, Sendable {
    /// Whose they were.
    let email: Email
    /// How many.
    let count: Int
    /// How many keys were revoked; nil where that goes without saying.
    let keys: Int?

    /// The sessions and keys of that user.
    init(of email: Email, count: Int, keys: Int? = nil) {
        self.email = email
        self.count = count
        self.keys = keys
    }

    /// The line for scripts.
    var json: JSONValue {
        guard let keys else {
            return ["email": .string(email.address), "sessionsEnded": .integer(Int64(count))]
        }
        return [
            "email": .string(email.address), "sessionsEnded": .integer(Int64(count)),
            "keysRevoked": .integer(Int64(keys)),
        ]
    }

    /// For people.
    var words: String {
        let sessions = count == 1 ? "1 session ended" : "\(count) sessions ended"
        guard let keys else { return sessions }
        return sessions + (keys == 1 ? ", 1 key was revoked" : ", \(keys) keys were revoked")
    }
}

/// A key as it is shown, once, to whoever made it.
struct Secret {
    private let bytes: [UInt8]

    /// One that nobody can guess: 32 random bytes.
    init() {
        precondition(sodium_init() >= 0, "libsodium finds no source of randomness")
        var bytes = [UInt8](repeating: 0, count: Token.length)
        randombytes_buf(&bytes, bytes.count)
        self.bytes = bytes
    }

    /// 64 hexadecimal digits, as a client shows them.
    var text: String { bytes.hexadecimal }

    /// What the controller knows it by.
    var digest: TokenDigest {
        var hash = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
        guard let digest = TokenDigest(hash) else { preconditionFailure("SHA-256 is 32 bytes") }
        return digest
    }
}

extension ControllerAccess {
    /// Asks for something about one user.
    ///
    /// - Throws: `CommandFailure` when there is no such user in the account, and what the work throws.
    func aboutUser<Result: Sendable>(
        _ email: Email, _ work: @Sendable (FleetClient) async throws -> Result
    ) async throws -> Result {
        do {
            return try await withSession(work)
        } catch FleetError.refused(.notFound) {
            throw CommandFailure(
                .notPermitted, "no user \(SafeText.of(email.address)) in this account",
                advice: "`fleet user list` shows who there is")
        }
    }
}
