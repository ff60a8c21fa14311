import ControllerCore
import FleetProtocol
import Foundation
import GRDB
import Stepping

/// The keys by which programs act for users.
extension Store {
    static func makeKeys(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE keys (
                    digest BLOB PRIMARY KEY, email TEXT NOT NULL, name TEXT NOT NULL,
                    madeAtMs INTEGER NOT NULL, UNIQUE (email, name));
                """)
    }

    /// Keys that were made before there were scopes may do what their programs have always done.
    static func addKeyScopes(_ db: Database) throws {
        try db.execute(
            sql: "ALTER TABLE keys ADD COLUMN scope TEXT NOT NULL DEFAULT '\(APIKey.Scope.switch.name)'")
    }

    /// Every key that was not revoked.
    func keys() throws(StorageError) -> [ControllerConfiguration.KnownKey] {
        try transaction(.deferred) { db in
            try Row.fetchAll(db, sql: "SELECT * FROM keys ORDER BY email, name").map(Self.key)
        }
    }

    static func insert(_ key: APIKey, _ digest: TokenDigest, in db: Database) throws {
        try db.execute(
            sql: "INSERT INTO keys (digest, email, name, madeAtMs, scope) VALUES (?, ?, ?, ?, ?)",
            arguments: [
                Data(digest.bytes), key.user.address, key.name.text, key.madeAt.unixMilliseconds,
                key.scope.name,
            ])
    }

    static func deleteKeys(_ digests: [TokenDigest], in db: Database) throws {
        for digest in digests {
            try db.execute(sql: "DELETE FROM keys WHERE digest = ?", arguments: [Data(digest.bytes)])
        }
    }

    private static func key(_ row: Row) throws -> ControllerConfiguration.KnownKey {
        let digest: Data = row["digest"]
        guard let digest = TokenDigest(Array(digest)), let email = Email(row["email"]),
            let name = APIKey.Name(row["name"]),
            let scope = APIKey.Scope.allCases.first(where: { $0.name == row["scope"] })
        else { throw Damage.row(table: "keys") }
        let madeAt = WallTime(unixMilliseconds: row["madeAtMs"])
        return ControllerConfiguration.KnownKey(
            digest: digest, key: APIKey(name: name, user: email, madeAt: madeAt, scope: scope))
    }
}
