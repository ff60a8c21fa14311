import ControllerCore
import FleetProtocol

/// The open sessions, each with its last use to the day.
extension Store {
    static func addUseOfSessions(in db: Database) throws {
        try db.execute(
            """
            ALTER TABLE sessions ADD COLUMN usedAtMs INTEGER NOT NULL DEFAULT 0;
            UPDATE sessions SET usedAtMs = openedAtMs;
            """)
    }

    /// Every session that has not ended, oldest first.
    func sessions() throws(StorageError) -> [ControllerConfiguration.OpenSession] {
        try transaction(.deferred) { db in
            try db.prepare("SELECT * FROM sessions ORDER BY openedAtMs").rows().map(Self.session)
        }
    }

    static func insertSession(
        _ digest: TokenDigest, of email: Email, openedAt: WallTime, in db: Database
    ) throws {
        let time = openedAt.unixMilliseconds
        try db.prepare("INSERT INTO sessions (digest, email, openedAtMs, usedAtMs) VALUES (?, ?, ?, ?)")
            .execute([digest.bytes, email.address, time, time])
    }

    static func writeUse(of digest: TokenDigest, at time: WallTime, in db: Database) throws {
        try db.prepare("UPDATE sessions SET usedAtMs = ? WHERE digest = ?").execute([
            time.unixMilliseconds, digest.bytes,
        ])
    }

    static func deleteSessions(_ digests: [TokenDigest], in db: Database) throws {
        for digest in digests {
            try db.prepare("DELETE FROM sessions WHERE digest = ?").execute([digest.bytes])
        }
    }

    private static func session(_ row: Row) throws -> ControllerConfiguration.OpenSession {
        guard let digest = TokenDigest(try row["digest"]), let email = Email(try row["email"]) else {
            throw Damage.row(table: "sessions")
        }
        return ControllerConfiguration.OpenSession(
            digest: digest, email: email, openedAt: WallTime(unixMilliseconds: try row["openedAtMs"]),
            usedAt: WallTime(unixMilliseconds: try row["usedAtMs"]))
    }
}

/// The time at which the allowance of sign-ups is full again.
extension Store {
    static func makeSignUps(in db: Database) throws {
        try db.execute(
            "CREATE TABLE signUps (id INTEGER PRIMARY KEY CHECK (id = 1), wholeAtMs INTEGER NOT NULL)")
    }

    /// Reads that time; nil before the first sign-up.
    func signUpsWholeAt() throws(StorageError) -> WallTime? {
        try transaction(.deferred) { db in
            try db.prepare("SELECT wholeAtMs FROM signUps").value(Int64.self)
                .map { WallTime(unixMilliseconds: $0) }
        }
    }

    static func writeSignUps(wholeAt: WallTime, in db: Database) throws {
        try db.prepare("INSERT OR REPLACE INTO signUps VALUES (1, ?)").execute([wholeAt.unixMilliseconds])
    }
}

extension Store {
    static func makeKeys(_ db: Database) throws {
        try db.execute(
            """
            CREATE TABLE keys (
                digest BLOB PRIMARY KEY, email TEXT NOT NULL, name TEXT NOT NULL,
                madeAtMs INTEGER NOT NULL, UNIQUE (email, name));
            """)
    }

    /// Adds scopes; existing keys get the scope `switch`, and so keep their former rights.
    static func addKeyScopes(_ db: Database) throws {
        try db.execute(
            "ALTER TABLE keys ADD COLUMN scope TEXT NOT NULL DEFAULT '\(APIKey.Scope.switch.name)'")
    }

    /// Reads every key that was not revoked.
    func keys() throws(StorageError) -> [ControllerConfiguration.KnownKey] {
        try transaction(.deferred) { db in
            try db.prepare("SELECT * FROM keys ORDER BY email, name").rows().map(Self.key)
        }
    }

    static func insert(_ key: APIKey, _ digest: TokenDigest, in db: Database) throws {
        try db.prepare("INSERT INTO keys (digest, email, name, madeAtMs, scope) VALUES (?, ?, ?, ?, ?)")
            .execute([
                digest.bytes, key.user.address, key.name.text, key.madeAt.unixMilliseconds,
                key.scope.name,
            ])
    }

    static func deleteKeys(_ digests: [TokenDigest], in db: Database) throws {
        for digest in digests {
            try db.prepare("DELETE FROM keys WHERE digest = ?").execute([digest.bytes])
        }
    }

    private static func key(_ row: Row) throws -> ControllerConfiguration.KnownKey {
        guard let digest = TokenDigest(try row["digest"]), let email = Email(try row["email"]),
            let name = APIKey.Name(try row["name"]),
            let scope = try APIKey.Scope.allCases.first(where: { try $0.name == row["scope"] })
        else { throw Damage.row(table: "keys") }
        let madeAt = WallTime(unixMilliseconds: try row["madeAtMs"])
        return ControllerConfiguration.KnownKey(
            digest: digest, key: APIKey(name: name, user: email, madeAt: madeAt, scope: scope))
    }
}

/// The pending password resets: an address, and the digest of the token sent to it. Every requested address
/// gets a row, known or not, so that the response time does not reveal users. Each insert deletes the expired
/// rows, so that requests for unknown addresses cannot fill the table.
extension Store {
    static func makePasswordResets(in db: Database) throws {
        try db.execute(
            """
            CREATE TABLE recoveries (
                email TEXT PRIMARY KEY, digest BLOB NOT NULL, begunAtMs INTEGER NOT NULL);
            CREATE INDEX recoveriesByAge ON recoveries (begunAtMs);
            """)
    }

    /// Reads the pending password resets, oldest first; some are for addresses without a user.
    func passwordResets() throws(StorageError) -> [PasswordReset] {
        try transaction(.deferred) { db in
            try db.prepare("SELECT * FROM recoveries ORDER BY begunAtMs").rows().map(Self.reset)
        }
    }

    static func insert(_ reset: PasswordReset, in db: Database) throws {
        let cutoff = reset.begunAt.advanced(by: .zero - PasswordReset.lifetime)
        try db.prepare("DELETE FROM recoveries WHERE begunAtMs <= ?").execute([cutoff.unixMilliseconds])
        try db.prepare("INSERT OR REPLACE INTO recoveries VALUES (?, ?, ?)")
            .execute([reset.email.address, reset.digest.bytes, reset.begunAt.unixMilliseconds])
    }

    static func deletePasswordReset(of email: Email, in db: Database) throws {
        try db.prepare("DELETE FROM recoveries WHERE email = ?").execute([email.address])
    }

    private static func reset(_ row: Row) throws -> PasswordReset {
        guard let digest = TokenDigest(try row["digest"]), let email = Email(try row["email"]) else {
            throw Damage.row(table: "recoveries")
        }
        return PasswordReset(
            digest: digest, email: email, begunAt: WallTime(unixMilliseconds: try row["begunAtMs"]))
    }
}

extension Store {
    /// Reads the counts of failed log-ins; expired ones are deleted at the next failure.
    func loginFailures() throws(StorageError) -> [LoginFailures] {
        try transaction(.deferred) { db in
            try db.prepare("SELECT * FROM loginFailures ORDER BY lastAtMs").rows().map(Self.loginFailures)
        }
    }

    private static func loginFailures(_ row: Row) throws -> LoginFailures {
        guard let email = Email(try row["email"]) else { throw Damage.row(table: "loginFailures") }
        return LoginFailures(
            email: email, count: try row["count"], lastAt: WallTime(unixMilliseconds: try row["lastAtMs"]))
    }
}
