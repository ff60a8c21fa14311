import ControllerCore
import FleetProtocol
import Foundation
import GRDB
import Runtime
import Stepping

/// The rosters of accounts: a row for each, and one for each of its shifts.
extension Store {
    static func makeRosters(in db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE rosters (
                    account TEXT PRIMARY KEY, version INTEGER NOT NULL, name TEXT NOT NULL,
                    message TEXT NOT NULL, timeZone TEXT NOT NULL, lastImport TEXT);
                CREATE TABLE shifts (
                    account TEXT NOT NULL, place INTEGER NOT NULL, who TEXT NOT NULL, email TEXT,
                    fromMs INTEGER NOT NULL, toMs INTEGER NOT NULL,
                    PRIMARY KEY (account, place)) WITHOUT ROWID;
                """)
    }

    /// Every account's roster.
    func rosters() throws(StorageError) -> [KeptRoster] {
        try transaction(.deferred) { db in
            try Row.fetchAll(db, sql: "SELECT * FROM rosters ORDER BY account").map { row in
                let shifts = try Row.fetchAll(
                    db, sql: "SELECT * FROM shifts WHERE account = ? ORDER BY place",
                    arguments: [row["account"] as String])
                return try Self.roster(row, with: try shifts.map(Self.shift))
            }
        }
    }

    static func keep(_ entry: RosterEntry, in db: Database) throws {
        switch entry {
        case .headed(let account, let version, let heading):
            try db.cachedStatement(
                sql: """
                    INSERT INTO rosters VALUES (?, ?, ?, ?, ?, NULL) ON CONFLICT (account) DO UPDATE SET
                        version = excluded.version, name = excluded.name, message = excluded.message
                    """
            ).execute(
                arguments: [
                    account.name, Int64(version.value), heading.name, heading.message,
                    TimeZoneName.utc.text,
                ])
        case .replaced(let kept):
            try db.cachedStatement(sql: "INSERT OR REPLACE INTO rosters VALUES (?, ?, ?, ?, ?, ?)").execute(
                arguments: [
                    kept.account.name, Int64(kept.version.value), kept.heading.name, kept.heading.message,
                    kept.timeZone.text, kept.lastImport?.description,
                ])
            try db.cachedStatement(sql: "DELETE FROM shifts WHERE account = ?")
                .execute(arguments: [kept.account.name])
            let insertion = try db.cachedStatement(sql: "INSERT INTO shifts VALUES (?, ?, ?, ?, ?, ?)")
            for (place, shift) in kept.shifts.enumerated() {
                try insertion.execute(
                    arguments: [
                        kept.account.name, place, shift.who, shift.email?.address,
                        shift.from.unixMilliseconds, shift.to.unixMilliseconds,
                    ])
            }
        }
    }

    // MARK: Reading

    private static func roster(_ row: Row, with shifts: [Shift]) throws -> KeptRoster {
        let text: String? = row["lastImport"]
        let lastImport = text.flatMap { RequestID($0) }
        guard let account = AccountID(row["account"]), (lastImport == nil) == (text == nil),
            let version = UInt64(exactly: row["version"] as Int64),
            let timeZone = TimeZoneName(row["timeZone"] as String)
        else { throw Damage.row(table: "rosters") }
        do {
            return KeptRoster(
                account: account, version: RosterVersion(version),
                heading: try RosterHeading(name: row["name"], message: row["message"]), timeZone: timeZone,
                lastImport: lastImport, shifts: shifts)
        } catch {
            throw Damage.row(table: "rosters")
        }
    }

    private static func shift(_ row: Row) throws -> Shift {
        let text: String? = row["email"]
        let email = text.flatMap { Email($0) }
        guard (email == nil) == (text == nil) else { throw Damage.row(table: "shifts") }
        do {
            return try Shift(
                who: row["who"], email: email, from: WallTime(unixMilliseconds: row["fromMs"]),
                to: WallTime(unixMilliseconds: row["toMs"]))
        } catch {
            throw Damage.row(table: "shifts")
        }
    }
}
