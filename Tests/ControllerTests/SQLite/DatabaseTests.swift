import Foundation
import TestSupport
import Testing

@testable import controller

@Suite("SQLite: transactions, errors and files", .timeLimit(.minutes(1)))
struct DatabaseTests {
    private struct Failure: Error {}

    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/numbers.sqlite" }
    private var log: String { path + "-wal" }

    init() throws {
        directory = try TemporaryDirectory()
        let db = try Database(path: path)
        try db.execute("CREATE TABLE numbers (number INTEGER PRIMARY KEY)")
        try db.close()
    }

    private func numbers(_ db: Database) throws -> [Int] {
        try db.prepare("SELECT number FROM numbers ORDER BY number").values(Int.self)
    }

    private func insert(_ number: Int, in db: Database) throws {
        try db.cached("INSERT INTO numbers VALUES (?)").execute([number])
    }

    private func size(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? -1
    }

    // MARK: Transactions

    @Test(
        "a transaction is committed as a whole, or rolled back when its work fails or asks for it",
        arguments: [Database.TransactionKind.deferred, .immediate, .exclusive])
    func transactions(kind: Database.TransactionKind) throws {
        let (db, other) = (try Database(path: path), try Database(path: path))
        let count = try db.inTransaction(kind) {
            try insert(1, in: db)
            try insert(2, in: db)
            return try numbers(db).count
        }
        #expect(count == 2)
        #expect(throws: Failure.self) {
            try db.inTransaction(kind) {
                try insert(3, in: db)
                throw Failure()
            }
        }
        let tried = try db.inTransaction(kind, then: .rollback) {
            try insert(4, in: db)
            return try numbers(db)
        }
        #expect(tried == [1, 2, 4])
        #expect(try numbers(other) == [1, 2])
    }

    @Test("an error after which SQLite has rolled back is reported, and the next transaction begins")
    func rolledBack() throws {
        let db = try Database(path: path)
        try insert(1, in: db)
        let error = #expect(throws: DatabaseError.self) {
            try db.inTransaction(.immediate) {
                try insert(2, in: db)
                try db.execute("INSERT OR ROLLBACK INTO numbers VALUES (1)")
            }
        }
        #expect(error?.message == "UNIQUE constraint failed: numbers.number")
        try db.inTransaction(.immediate) { try insert(3, in: db) }
        #expect(try numbers(db) == [1, 3])
    }

    @Test("a transaction in a transaction is refused, and the outer one is rolled back")
    func nested() throws {
        let db = try Database(path: path)
        #expect(throws: DatabaseError.self) {
            try db.inTransaction(.immediate) {
                try insert(1, in: db)
                try db.inTransaction(.deferred) {}
            }
        }
        #expect(try numbers(db).isEmpty)
    }

    @Test("a commit that fails is rolled back")
    func failedCommit() throws {
        let db = try Database(path: path)
        try db.execute(
            """
            CREATE TABLE doubles (
                number INTEGER REFERENCES numbers (number) DEFERRABLE INITIALLY DEFERRED)
            """)
        let error = #expect(throws: DatabaseError.self) {
            try db.inTransaction(.immediate) { try db.execute("INSERT INTO doubles VALUES (7)") }
        }
        #expect(error?.message == "FOREIGN KEY constraint failed")
        try db.inTransaction(.immediate) { try insert(7, in: db) }
        #expect(try db.prepare("SELECT count(*) FROM doubles").value(Int.self) == 0)
    }

    // MARK: Errors

    @Test("errors have SQLite's extended code, its message and a kind")
    func codes() throws {
        let db = try Database(path: path)
        func error(_ body: () throws -> Void) -> DatabaseError? {
            #expect(throws: DatabaseError.self, performing: body)
        }
        let duplicate = error { for _ in 0..<2 { try insert(1, in: db) } }
        #expect(duplicate?.code == 1_555 && duplicate?.kind == .other)
        let unknown = error { _ = try db.prepare("SELECT * FROM letters") }
        #expect(unknown?.description == "no such table: letters (SQLite error 1)")
        let missing = error { _ = try Database(path: directory.path + "/none/numbers.sqlite") }
        #expect(missing?.description == "unable to open database file (SQLite error 14)")
        try db.execute("CREATE TABLE bytes (bytes); PRAGMA max_page_count = 4")
        let full = error { try db.execute("INSERT INTO bytes VALUES (zeroblob(100000))") }
        #expect(full?.kind == .full && full?.message == "database or disk is full")
        let text = directory.path + "/text"
        try Data(repeating: 0x5a, count: 8_192).write(to: URL(filePath: text))
        let foreign = error { _ = try Database(path: text) }
        #expect(foreign?.kind == .damaged && foreign?.message == "file is not a database")
    }

    @Test("a locked database is busy, after the busy timeout")
    func busy() throws {
        let (db, other) = (try Database(path: path), try Database(path: path))
        let waiting = try Database(path: path, busyTimeout: .milliseconds(50))
        try db.inTransaction(.exclusive) {
            let error = #expect(throws: DatabaseError.self) { try other.inTransaction(.immediate) {} }
            #expect(error?.kind == .busy && error?.message == "database is locked")
            let clock = ContinuousClock()
            let wait = clock.measure {
                #expect(throws: DatabaseError.self) { try waiting.inTransaction(.immediate) {} }
            }
            #expect(wait >= .milliseconds(50))
            let opened = #expect(throws: DatabaseError.self) { try Database(path: path) }
            #expect(opened?.kind == .busy)
        }
        try other.inTransaction(.immediate) { try insert(1, in: other) }
    }

    // MARK: Closing

    @Test("a connection with a statement of a caller is busy and stays open, and cached ones are finalized")
    func closed() throws {
        let db = try Database(path: path)
        try insert(1, in: db)
        var query: Statement? = try db.prepare("SELECT count(*) FROM numbers")
        #expect(#expect(throws: DatabaseError.self) { try db.close() }?.kind == .busy)
        #expect(try query?.value(Int.self) == 1)
        try insert(2, in: db)
        query = nil
        try db.close()
        try db.close()
        let error = #expect(throws: DatabaseError.self) { try db.execute("SELECT 1") }
        #expect(error?.code == 21)
        #expect(throws: DatabaseError.self) { try db.inTransaction(.deferred) {} }
    }

    @Test("a statement keeps its connection")
    func kept() throws {
        var query: Statement? = try Database(path: path).prepare("SELECT name FROM pragma_table_info(?)")
        #expect(try query?.values(String.self, ["numbers"]) == ["number"])
        query = nil
        try Database(path: path).inTransaction(.exclusive) {}
    }

    @Test("the last connection writes the log back unless told otherwise", arguments: [true, false])
    func writesBack(isWrittenBack: Bool) throws {
        let db = try Database(path: path)
        try db.execute("PRAGMA journal_mode = WAL")
        try db.writeBackOnClose(isWrittenBack)
        try insert(1, in: db)
        try db.close()
        #expect((size(log) == -1) == isWrittenBack)
        #expect(try numbers(Database(path: path)) == [1])
    }

    @Test("a checkpoint empties the log, and is refused while another connection reads from it")
    func checkpoint() throws {
        let (db, other) = (try Database(path: path), try Database(path: path))
        try db.execute("PRAGMA journal_mode = WAL")
        try insert(1, in: db)
        try other.inTransaction(.deferred) {
            #expect(try numbers(other) == [1])
            try insert(2, in: db)
            #expect(#expect(throws: DatabaseError.self) { try db.checkpoint() }?.kind == .busy)
        }
        #expect(size(log) > 0)
        try db.checkpoint()
        #expect(size(log) == 0)
    }

    // MARK: Backup

    @Test("a backup replaces the content of its target by that of one moment")
    func backUp() throws {
        let (db, target) = (try Database(path: path), try Database(path: directory.path + "/copy"))
        try db.execute("PRAGMA journal_mode = WAL")
        for number in 0..<1_000 { try insert(number, in: db) }
        try target.execute("CREATE TABLE letters (letter)")
        try db.backUp(to: target)
        #expect(try numbers(target).count == 1_000)
        #expect(try !target.hasTable("letters"))
        try insert(1_000, in: db)
        #expect(try numbers(target).count == 1_000)
        let other = try Database(path: directory.path + "/copy")
        try other.inTransaction(.exclusive) {
            #expect(#expect(throws: DatabaseError.self) { try db.backUp(to: target) }?.kind == .busy)
        }
    }

    // MARK: Threads

    @Test("threads that share a connection use it one after another")
    func serialized() async throws {
        let database = try SerializedDatabase(path: path)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        #expect(throws: Never.self) {
                            try database.withLock { db in
                                try db.inTransaction(.immediate) {
                                    let count = try numbers(db).count
                                    try insert(count, in: db)
                                }
                            }
                        }
                    }
                }
            }
        }
        #expect(try database.withLock { try numbers($0) } == Array(0..<400))
    }
}
