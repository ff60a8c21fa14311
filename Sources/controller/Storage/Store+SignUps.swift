import ControllerCore
import GRDB
import Stepping

/// When the allowance of sign-ups is whole again.
extension Store {
    static func makeSignUps(in db: Database) throws {
        try db.execute(
            sql: "CREATE TABLE signUps (id INTEGER PRIMARY KEY CHECK (id = 1), wholeAtMs INTEGER NOT NULL)")
    }

    /// That time; nil before the first sign-up.
    func signUpsWholeAt() throws(StorageError) -> WallTime? {
        try transaction(.deferred) { db in
            try Int64.fetchOne(db, sql: "SELECT wholeAtMs FROM signUps")
                .map { WallTime(unixMilliseconds: $0) }
        }
    }

    static func keepSignUps(wholeAt: WallTime, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO signUps VALUES (1, ?)", arguments: [wholeAt.unixMilliseconds])
    }
}
