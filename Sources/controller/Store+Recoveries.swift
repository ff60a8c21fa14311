import ControllerCore
import FleetProtocol
import Foundation
import GRDB
import Stepping

/// Who forgot their password, and what the token hashes to that was sent to them.
///
/// A row is written for whatever address somebody names, so that it takes as long; those that are too old go
/// with the next, so that strangers' addresses do not fill it.
extension Store {
    static func makeRecoveries(in db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE recoveries (
                    email TEXT PRIMARY KEY, digest BLOB NOT NULL, begunAtMs INTEGER NOT NULL);
                CREATE INDEX recoveriesByAge ON recoveries (begunAtMs);
                """)
    }

    /// Every recovery that was begun and is not done, the oldest first; some are of nobody's address.
    func recoveries() throws(StorageError) -> [Recovery] {
        try transaction(.deferred) { db in
            try Row.fetchAll(db, sql: "SELECT * FROM recoveries ORDER BY begunAtMs").map(Self.recovery)
        }
    }

    static func insert(_ recovery: Recovery, in db: Database) throws {
        let forgotten = recovery.begunAt.advanced(by: .zero - Recovery.lifetime)
        try db.execute(
            sql: "DELETE FROM recoveries WHERE begunAtMs <= ?", arguments: [forgotten.unixMilliseconds])
        try db.execute(
            sql: "INSERT OR REPLACE INTO recoveries VALUES (?, ?, ?)",
            arguments: [
                recovery.email.address, Data(recovery.digest.bytes), recovery.begunAt.unixMilliseconds,
            ])
    }

    static func deleteRecovery(of email: Email, in db: Database) throws {
        try db.execute(sql: "DELETE FROM recoveries WHERE email = ?", arguments: [email.address])
    }

    private static func recovery(_ row: Row) throws -> Recovery {
        let digest: Data = row["digest"]
        guard let digest = TokenDigest(Array(digest)), let email = Email(row["email"]) else {
            throw Damage.row(table: "recoveries")
        }
        return Recovery(
            digest: digest, email: email, begunAt: WallTime(unixMilliseconds: row["begunAtMs"]))
    }
}
