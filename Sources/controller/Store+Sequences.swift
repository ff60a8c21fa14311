import ControllerCore
import FleetProtocol
import Foundation
import GRDB
import Runtime
import Stepping

/// The sequences of all accounts: a row for each, and one for each account of which some are forgotten.
extension Store {
    static func makeSequences(in db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE sequences (
                    account TEXT NOT NULL, id TEXT NOT NULL, record BLOB NOT NULL,
                    PRIMARY KEY (account, id));
                CREATE TABLE sequenceHorizons (account TEXT PRIMARY KEY, idTimeMs INTEGER NOT NULL);
                CREATE TABLE recall (id INTEGER PRIMARY KEY CHECK (id = 1), isWhole INTEGER NOT NULL);
                INSERT INTO recall VALUES (1, 1);
                """)
    }

    /// Whether the journal knows of every command of a sequence that an earlier life may have sent, and
    /// notes that for the next life.
    ///
    /// A life without a journal leaves commands behind of which no journal knows. They stay unknown, whatever
    /// later lives keep, until none is left.
    ///
    /// - Parameters:
    ///   - isJournalled: Whether this life keeps a journal.
    ///   - isCommandOpen: Whether an earlier one has left a command whose end is not kept.
    func recallsCommands(
        isJournalled: Bool, isCommandOpen: Bool
    ) throws(StorageError) -> Bool {
        try transaction(.immediate) { db in
            let wasWhole = try Bool.fetchOne(db, sql: "SELECT isWhole FROM recall") ?? true
            let isWhole = isJournalled && (wasWhole || !isCommandOpen)
            try db.execute(sql: "UPDATE recall SET isWhole = ?", arguments: [isWhole])
            return isWhole
        }
    }

    /// The sequences of every account.
    func sequences() throws(StorageError) -> [KeptSequences] {
        try transaction(.deferred) { db in
            var horizons: [String: WallTime] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT * FROM sequenceHorizons") {
                horizons[row["account"]] = WallTime(unixMilliseconds: row["idTimeMs"])
            }
            var reports: [String: [SequenceReport]] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT * FROM sequences ORDER BY account, id") {
                reports[row["account"], default: []].append(try Self.sequence(row))
            }
            return try Set(horizons.keys).union(reports.keys).sorted().map { name in
                guard let account = AccountID(name) else { throw Damage.row(table: "sequences") }
                return KeptSequences(
                    account: account, reports: reports[name] ?? [], horizon: horizons[name])
            }
        }
    }

    static func keep(_ entry: SequenceEntry, in db: Database) throws {
        switch entry {
        case .stands(let account, let report):
            try db.cachedStatement(sql: "INSERT OR REPLACE INTO sequences VALUES (?, ?, ?)").execute(
                arguments: [account.name, report.id.description, Data(report.keptBytes)])
        case .forgotten(let account, let ids, let horizon):
            for id in ids {
                try db.cachedStatement(sql: "DELETE FROM sequences WHERE account = ? AND id = ?")
                    .execute(arguments: [account.name, id.description])
            }
            try db.cachedStatement(sql: "INSERT OR REPLACE INTO sequenceHorizons VALUES (?, ?)")
                .execute(arguments: [account.name, horizon.unixMilliseconds])
        }
    }

    private static func sequence(_ row: Row) throws -> SequenceReport {
        let record: Data = row["record"]
        guard let report = SequenceReport(kept: Array(record)),
            report.id.description == row["id"] as String
        else { throw Damage.row(table: "sequences") }
        return report
    }
}
