import ControllerCore
import FleetProtocol
import FoundationEssentials
import Glibc
import ProcessSupport

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

    /// Adds the name of the fleet, and the end of the journal at the last change.
    static func addFleet(in db: Database) throws {
        try db.execute(
            """
            CREATE TABLE fleet (id INTEGER PRIMARY KEY CHECK (id = 1), name INTEGER NOT NULL);
            ALTER TABLE progress ADD COLUMN journal BLOB;
            """)
    }

    /// Increments the number of changes, and stores the end of the journal, in the transaction of the change.
    static func countChange(in db: Database, _ end: WitnessMark?) throws -> UInt64 {
        let statement = try db.cached(
            "UPDATE progress SET changes = changes + 1, journal = coalesce(?, journal) RETURNING changes")
        let journal = end.map { DatabaseValue.blob(WitnessMark.slot($0)) } ?? .null
        guard let changes = try statement.value(Int64.self, [journal]) else {
            throw Damage.row(table: "progress")
        }
        return UInt64(changes)
    }

    /// Returns the end of the journal at the last change; nil before the first, and in earlier formats.
    static func journalMark(in db: Database) throws -> WitnessMark? {
        guard try db.hasTable("fleet"),
            let slot = try db.prepare("SELECT journal FROM progress").value([UInt8].self)
        else { return nil }
        do throws(RecordError) {
            return try WitnessMark.mark(in: slot[...])
        } catch {
            throw Damage.row(table: "progress")
        }
    }

    /// Returns the farthest end of the journal that the witness or the store has; nil without one.
    func recordedEnd() throws(StorageError) -> RecordedOutcome? {
        let own = try transaction(.deferred) { try Self.journalMark(in: $0) }
        return RecordedOutcome(witness.journal, own)
    }

    /// Returns the name of the fleet; nil before the first start of this version.
    static func fleet(in db: Database) throws -> FleetName? {
        guard try db.hasTable("fleet") else { return nil }
        return try db.prepare("SELECT name FROM fleet").value(Int64.self).map {
            FleetName(bits: UInt64(bitPattern: $0))
        }
    }

    /// Stores the name of the fleet if it has none, and syncs the store to the disk. So every file that has
    /// the name, or the number of changes at a start, is later than the synced store. The number of changes
    /// on the disk is 0 if a full disk, or a program that reads the file, prevents the sync.
    static func begin(
        _ db: Database, fleet given: FleetName?, _ durability: Durability
    ) throws -> (fleet: FleetName, isWitnessed: Bool, changes: UInt64, onDisk: UInt64) {
        let fleet = try fleet(in: db) ?? given ?? .new()
        try db.inTransaction(.immediate) {
            try db.prepare("INSERT OR IGNORE INTO fleet VALUES (1, ?)")
                .execute([Int64(bitPattern: fleet.bits)])
        }
        var isOnDisk = durability != .none
        do throws(DatabaseError) {
            if isOnDisk { try db.checkpoint() }
        } catch {
            guard [.busy, .full].contains(error.kind) else { throw error }
            isOnDisk = false
        }
        guard let row = try db.prepare("SELECT * FROM progress").rows().first else {
            throw Damage.row(table: "progress")
        }
        let changes = UInt64(try row["changes"] as Int64)
        return (fleet, try row["isWitnessed"], changes, isOnDisk ? changes : 0)
    }

    /// Checks that a file is undamaged and not an earlier copy of itself; it may have no witness.
    static func check(_ db: Database, at path: String, _ witness: Witness?, at witnessPath: String) throws {
        let recorded = witness?.store
        if let expected = witness?.fleet, let own = try fleet(in: db), own != expected {
            throw StorageError.damaged(path: path, what: "it is of another fleet than \(witnessPath)")
        }
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

    /// Migrates the tables, and recomputes their checksums. The file of an earlier version is copied first; a
    /// start that was interrupted has left the copy.
    static func migrate(_ db: Database, at path: String) throws {
        let isComplete = try Migrations.areComplete(in: db)
        let isSummed =
            try db.hasTable("progress")
            && db.prepare("SELECT isSummed FROM progress").value(Bool.self) == true
        let isInterrupted = !isSummed && FileManager.default.fileExists(atPath: former(of: path))
        if try !isComplete && !isInterrupted && Migrations.haveBegun(in: db) { try keepFormer(db, of: path) }
        let isCurrent = isComplete && isSummed
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

    /// Copies the store as the earlier version left it to a file that can only be read.
    private static func keepFormer(_ db: Database, of path: String) throws {
        let draft = "\(former(of: path)).making"
        // A start that was killed may have left it.
        try? FileManager.default.removeItem(atPath: draft)
        do {
            let copy = try Database(path: draft)
            try db.backUp(to: copy)
            try copy.close()
            try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: draft)
            try DirectoryNames.rename(draft, to: former(of: path))
        } catch {
            // It may have filled the disk.
            try? FileManager.default.removeItem(atPath: draft)
            throw error
        }
        try DirectoryNames.sync(nameOf: former(of: path))
    }

    private static func former(of path: String) -> String { "\(path).former" }
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

    /// Stores the number of a created segment, if it is the highest; `fenced` under another epoch.
    func recordSegment(_ number: Int, of epoch: Epoch) throws(StorageError) {
        try whileOurs(epoch) { db in
            try db.prepare("UPDATE newestSegment SET number = max(number, ?)").execute([number])
        }
    }
}

extension Database {
    /// Sets WAL mode and the `synchronous` level, and fails if SQLite does not read back both.
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

enum Damage: Error {
    case row(table: String)
}

extension StorageError {
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

    /// Works with the file at a path, and throws what fails as an error of that file.
    static func converting<Value>(
        at path: String, _ work: () throws -> Value
    ) throws(StorageError) -> Value {
        do {
            return try work()
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Refuses a file or a directory of the run directory that is a symbolic link or another user's.
    static func checkOwner(of path: String, isDirectory: Bool = false) throws(StorageError) {
        try converting(at: path) { try OwnFile.check(path, isDirectory: isDirectory) }
    }

    /// Does the same for the files of a database.
    static func checkOwner(ofDatabase path: String) throws(StorageError) {
        for suffix in ["", "-wal", "-shm"] { try checkOwner(of: path + suffix) }
    }
}

extension WitnessMark {
    var journalEnd: JournalEnd {
        JournalEnd(segment: Int(segment), batch: BatchLink(number: number, checksum: checksum))
    }

    init(_ end: JournalEnd, boot: String = SystemBoot.id, isOnDisk: Bool) {
        self.init(
            boot: boot, isOnDisk: isOnDisk, number: end.batch.number, segment: UInt32(end.segment),
            checksum: end.batch.checksum)
    }
}

extension RecordedOutcome {
    /// The farthest end of a journal that its witness or its store has; nil without one.
    init?(_ witness: WitnessMark?, _ store: WitnessMark?) {
        let marks = [witness, store].compactMap(\.self)
        guard let mark = marks.max(by: { $0.number < $1.number }) else { return nil }
        self.init(
            mark.journalEnd, isLossPossible: mark.isLossPossible,
            isOfCopies: mark.boot == WitnessMark.copied)
    }
}
