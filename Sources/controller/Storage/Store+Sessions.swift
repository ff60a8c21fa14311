import ControllerCore
import FleetProtocol
import Foundation
import GRDB
import Stepping

/// Sessions that have not ended, with when each was last known to be used: to the day, not to the request.
extension Store {
    static func addUseOfSessions(in db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE sessions ADD COLUMN usedAtMs INTEGER NOT NULL DEFAULT 0;
                UPDATE sessions SET usedAtMs = openedAtMs;
                """)
    }

    /// Every session that has not ended, oldest first.
    func sessions() throws(StorageError) -> [ControllerConfiguration.OpenSession] {
        try transaction(.deferred) { db in
            try Row.fetchAll(db, sql: "SELECT * FROM sessions ORDER BY openedAtMs").map(Self.session)
        }
    }

    static func insertSession(
        _ digest: TokenDigest, of email: Email, openedAt: WallTime, in db: Database
    ) throws {
        let time = openedAt.unixMilliseconds
        try db.execute(
            sql: "INSERT INTO sessions (digest, email, openedAtMs, usedAtMs) VALUES (?, ?, ?, ?)",
            arguments: [Data(digest.bytes), email.address, time, time])
    }

    static func noteUse(of digest: TokenDigest, at time: WallTime, in db: Database) throws {
        try db.execute(
            sql: "UPDATE sessions SET usedAtMs = ? WHERE digest = ?",
            arguments: [time.unixMilliseconds, Data(digest.bytes)])
    }

    static func deleteSessions(_ digests: [TokenDigest], in db: Database) throws {
        for digest in digests {
            try db.execute(sql: "DELETE FROM sessions WHERE digest = ?", arguments: [Data(digest.bytes)])
        }
    }

    private static func session(_ row: Row) throws -> ControllerConfiguration.OpenSession {
        let digest: Data = row["digest"]
        guard let digest = TokenDigest(Array(digest)), let email = Email(row["email"]) else {
            throw Damage.row(table: "sessions")
        }
        return ControllerConfiguration.OpenSession(
            digest: digest, email: email, openedAt: WallTime(unixMilliseconds: row["openedAtMs"]),
            usedAt: WallTime(unixMilliseconds: row["usedAtMs"]))
    }
}
