import ControllerCore
import FleetProtocol
import GRDB

/// How far the journal goes, so that one of which something is gone is not taken for a short one.
extension Store {
    static func makeNewestSegment(in db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE newestSegment (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL);
                INSERT INTO newestSegment VALUES (1, 0);
                """)
    }

    /// The number of the newest segment that was ever in its place; 0 before the first was.
    func newestSegment() throws(StorageError) -> Int {
        try transaction(.deferred) { db in
            try Int.fetchOne(db, sql: "SELECT number FROM newestSegment") ?? 0
        }
    }

    /// Notes that a segment is in its place.
    ///
    /// - Throws: `fenced` when the epoch is not the stored one any more.
    func noteSegment(_ number: Int, of epoch: Epoch) throws(StorageError) {
        try whileOurs(epoch) { db in
            try db.execute(sql: "UPDATE newestSegment SET number = max(number, ?)", arguments: [number])
        }
    }
}
