import ControllerCore
import FleetProtocol
import Glibc
import ProcessSupport
import SQLite

/// The progress of the store: the number of its changes, which the witness file stores too.
extension Store {
    static func makeProgress(in db: Database) throws {
        try db.execute(
            """
            CREATE TABLE progress (
                id INTEGER PRIMARY KEY CHECK (id = 1), changes INTEGER NOT NULL,
                isSummed INTEGER NOT NULL, isWitnessed INTEGER NOT NULL);
            INSERT INTO progress VALUES (1, 0, 0, 0);
            """)
        try TableChecksums.make(in: db)
    }

    /// Increments the number of changes, in the transaction of the change.
    static func countChange(in db: Database) throws -> UInt64 {
        let statement = try db.cached("UPDATE progress SET changes = changes + 1 RETURNING changes")
        guard let changes = try statement.value(Int64.self) else { throw Damage.row(table: "progress") }
        return UInt64(changes)
    }

    /// Checks that a file is undamaged and not an earlier copy of itself.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - witness: The contents of its witness file; nil without one.
    ///   - witnessPath: The path of the witness file.
    static func check(_ db: Database, at path: String, _ witness: Witness?, at witnessPath: String) throws {
        let recorded = witness?.store
        guard try db.hasTable("progress") else {
            // A power loss may have lost the log with the first tables.
            guard recorded?.isLossPossible ?? true else {
                throw StorageError.damaged(path: path, what: "it is empty")
            }
            return
        }
        guard let row = try db.prepare("SELECT * FROM progress").rows().first else {
            throw Damage.row(table: "progress")
        }
        if try row["isWitnessed"], witness == nil {
            throw StorageError.missing(path: witnessPath)
        }
        let changes: Int64 = try row["changes"]
        if let recorded, !recorded.isLossPossible, changes < recorded.number {
            throw StorageError.damaged(path: path, what: "it has \(changes) of \(recorded.number) changes")
        }
        let finding = try db.prepare("PRAGMA integrity_check(1)").value(String.self) ?? ""
        guard finding == "ok" else { throw StorageError.damaged(path: path, what: finding) }
        if try row["isSummed"] { try TableChecksums.check(db) }
    }

    /// Migrates the tables, and recomputes their checksums.
    static func migrate(_ db: Database) throws {
        let isCurrent =
            try Migrations.areComplete(in: db)
            && db.prepare("SELECT isSummed FROM progress").value(Bool.self) == true
        if !isCurrent {
            // If the process dies before the end, the next start recomputes the checksums.
            if try db.hasTable("progress") { try db.execute("UPDATE progress SET isSummed = 0") }
            try Migrations.run(in: db)
            try db.inTransaction(.immediate) {
                try TableChecksums.sumUp(db)
                try db.execute("UPDATE progress SET isSummed = 1")
            }
        }
        try TableChecksums.follow(in: db)
    }
}

/// The number of the newest journal segment, by which a start detects that this segment is missing.
extension Store {
    static func makeNewestSegment(in db: Database) throws {
        try db.execute(
            """
            CREATE TABLE newestSegment (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL);
            INSERT INTO newestSegment VALUES (1, 0);
            """)
    }

    /// Reads the number of the newest segment ever created; 0 before the first.
    func newestSegment() throws(StorageError) -> Int {
        try transaction(.deferred) { db in
            try db.prepare("SELECT number FROM newestSegment").value(Int.self) ?? 0
        }
    }

    /// Stores the number of a created segment, if it is the highest.
    ///
    /// - Throws: `fenced` when the stored epoch is another one.
    func recordSegment(_ number: Int, of epoch: Epoch) throws(StorageError) {
        try whileOurs(epoch) { db in
            try db.prepare("UPDATE newestSegment SET number = max(number, ?)").execute([number])
        }
    }
}

extension Database {
    /// Sets WAL mode and the `synchronous` level, and reads both back.
    ///
    /// - Throws: `failed` when SQLite did not apply both.
    func writeAhead(synchronous wanted: (word: String, number: Int), path: String) throws {
        let mode = try prepare("PRAGMA journal_mode = WAL").value(String.self)
        try execute("PRAGMA synchronous = \(wanted.word)")
        let synchronous = try prepare("PRAGMA synchronous").value(Int.self)
        guard mode == "wal", synchronous == wanted.number else {
            throw StorageError.failed(
                path: path, what: "write-ahead logging, synchronous \(wanted.word), is not available")
        }
    }
}

extension Durability {
    /// The `synchronous` level for a durability, by its name and by the number that SQLite reads back.
    var synchronous: (word: String, number: Int) {
        switch self {
        case .none, .process: ("NORMAL", 1)
        case .power: ("FULL", 2)
        }
    }
}

/// A value in a file that no controller writes.
enum Damage: Error {
    case row(table: String)
}

extension StorageError {
    /// Converts a database error to a storage error for the file at a path.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as StorageError: self = error
        case Damage.row(let table): self = .damaged(path: path, what: "a row of table \(table)")
        case let error as ColumnError: self = .damaged(path: path, what: "\(error)")
        case let error as DatabaseError:
            switch error.kind {
            case .damaged: self = .damaged(path: path, what: error.message)
            case .full: self = .full(path: path)
            case .busy: self = .inUse(path: path)
            case .other: self = .failed(path: path, what: error.message)
            }
        case RuntimeError.system(_, _, ENOSPC), RuntimeError.system(_, _, EDQUOT): self = .full(path: path)
        default: self = .failed(path: path, what: "\(error)")
        }
    }

    /// Refuses a file or a directory of the run directory that is a symbolic link or another user's.
    static func checkOwner(of path: String, isDirectory: Bool = false) throws(StorageError) {
        do throws(RuntimeError) {
            try OwnFile.check(path, isDirectory: isDirectory)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Does the same for the files of a database.
    static func checkOwner(ofDatabase path: String) throws(StorageError) {
        for suffix in ["", "-wal", "-shm"] { try checkOwner(of: path + suffix) }
    }
}

extension WitnessMark {
    /// The end of the journal that the mark describes.
    var journalEnd: JournalEnd {
        JournalEnd(segment: Int(segment), batch: BatchLink(number: number, checksum: checksum))
    }
}
