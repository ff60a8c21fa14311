import ControllerCore
import FleetProtocol
import FoundationEssentials
import ProcessSupport

/// The moves of accounts between this cell and others, and the tokens of accounts that were moved away.
extension Store {
    private enum State: String {
        case committed, departed, taken
    }

    static func makeMoves(in db: Database) throws {
        try db.execute(
            """
            CREATE TABLE moves (
                place INTEGER PRIMARY KEY, state TEXT NOT NULL, moved TEXT NOT NULL, source TEXT NOT NULL,
                target TEXT NOT NULL, epoch INTEGER NOT NULL, number INTEGER NOT NULL,
                targetEpoch INTEGER NOT NULL, UNIQUE (source, epoch, number, state));
            CREATE TABLE movedTokens (digest BLOB PRIMARY KEY, cell TEXT NOT NULL);
            """)
    }

    func moves() throws(StorageError) -> StoredMoves {
        try transaction(.deferred) { db in
            var moves = StoredMoves()
            for row in try db.prepare("SELECT * FROM moves ORDER BY place").rows() {
                let (state, move) = try Self.move(row)
                switch state {
                case .committed: moves.committed = move
                case .departed:
                    let epoch = Epoch(UInt64(try row["targetEpoch"] as Int64))
                    moves.departed[move.account] = CellDirectoryPage.Successor(
                        cell: move.target, epoch: epoch)
                case .taken:
                    moves.taken.insert(move)
                    moves.departed[move.account] = nil
                }
            }
            for row in try db.prepare("SELECT * FROM movedTokens").rows() {
                guard let digest = TokenDigest(try row["digest"]), let cell = CellName(try row["cell"]) else {
                    throw Damage.row(table: "movedTokens")
                }
                moves.tokens[digest] = cell
            }
            return moves
        }
    }

    /// The epoch that the next one must exceed because of accounts that were moved here; 0 without one.
    static func epochOfMoves(in db: Database) throws -> Int64 {
        try db.prepare("SELECT max(epoch) FROM moves WHERE state = 'taken'").value(Int64.self) ?? 0
    }

    static func write(_ entry: MoveEntry, in db: Database) throws {
        switch entry {
        case .committed(let move): try insert(move, .committed, in: db)
        case .withdrawn: try deleteCommitted(in: db)
        case .departed(let move, let tokens, let epoch):
            try deleteCommitted(in: db)
            try insert(move, .departed, targetEpoch: epoch, in: db)
            for digest in tokens {
                try db.prepare("INSERT OR REPLACE INTO movedTokens VALUES (?, ?)")
                    .execute([digest.bytes, move.target.text])
            }
            try AccountRows(account: move.account).delete(from: db)
        case .taken(let move, let content):
            try insert(move, .taken, in: db)
            try AccountRows(account: move.account).insert(try MovedContent(content).rows, into: db)
            // The account may have been here before.
            try db.execute(
                """
                DELETE FROM movedTokens WHERE digest IN (SELECT digest FROM sessions)
                    OR digest IN (SELECT digest FROM keys)
                """)
        }
    }

    func rows(of account: AccountID) throws(StorageError) -> [UInt8] {
        try transaction(.deferred) { db in try AccountRows(account: account).encoded(from: db) }
    }

    /// Returns why rows of an account cannot be added; nil if they can, and can be read at the next start.
    /// They are added here and removed again, and are read from a store in the scratch directory.
    func objection(
        toAdding rows: [UInt8], of move: AccountMove, scratch: String
    ) throws(StorageError) -> String? {
        do {
            try tryOut { db in try AccountRows(account: move.account).insert(rows, into: db) }
            try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: scratch) }
            let alone = try Store(path: scratch + "/store.sqlite", durability: .none)
            try alone.transaction(.immediate) { db in
                try AccountRows(account: move.account).insert(rows, into: db)
            }
            try alone.readAll()
            try alone.close()
            return nil
        } catch let error as StorageError {
            if case .full = error { throw error }
            return "\(error)"
        } catch {
            return "\(error)"
        }
    }

    /// Runs work in a transaction that is not committed.
    func tryOut(_ body: (Database) throws -> Void) throws {
        try database.withLock { db in
            try db.inTransaction(.immediate, then: .rollback) { try body(db) }
        }
    }

    /// Reads all that a controller reads when it starts.
    private func readAll() throws(StorageError) {
        _ = (try users(), try sessions(), try keys(), try passwordResets(), try loginFailures())
        _ = try nodes()
        if let service = Controller.damagedService(in: try serviceRecords()) {
            throw .damaged(path: path, what: "a record of service \(service)")
        }
    }

    private static func insert(
        _ move: AccountMove, _ state: State, targetEpoch: Epoch = .zero, in db: Database
    ) throws {
        try db.prepare(
            """
            INSERT INTO moves (state, moved, source, target, epoch, number, targetEpoch)
                VALUES (?, ?, ?, ?, ?, ?, ?)
            """
        ).execute([
            state.rawValue, move.account.name, move.source.text, move.target.text,
            Int64(move.epoch.value), Int64(move.number), Int64(targetEpoch.value),
        ])
    }

    private static func deleteCommitted(in db: Database) throws {
        try db.prepare("DELETE FROM moves WHERE state = ?").execute([State.committed.rawValue])
    }

    private static func move(_ row: Row) throws -> (State, AccountMove) {
        guard let state = State(rawValue: try row["state"]), let account = AccountID(try row["moved"]),
            let source = CellName(try row["source"]), let target = CellName(try row["target"])
        else { throw Damage.row(table: "moves") }
        let move = AccountMove(
            account: account, source: source, target: target, epoch: Epoch(UInt64(try row["epoch"] as Int64)),
            number: UInt64(try row["number"] as Int64))
        return (state, move)
    }
}
