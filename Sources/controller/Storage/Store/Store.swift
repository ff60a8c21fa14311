import ControllerCore
import FleetProtocol
import Glibc
import ProcessSupport
import Synchronization

/// The controller's store in one SQLite file: its epoch, users and sessions, the devices of nodes, logbooks,
/// sites, rosters, and the states of queues. Requests are stored in the journal's segments. A witness records
/// the end of both.
final class Store: Sendable {
    let database: SerializedDatabase
    let path: String
    let witness: Witness
    let fleet: FleetName
    private let changesOnDisk: UInt64
    private let changeCount: Atomic<UInt64>
    private let ours = Mutex(Epoch.zero)
    private let moved = Mutex(false)

    /// Opens the file, creates it if it is missing, and migrates its tables; a refused file is not changed.
    /// The fleet's name is for a file without one; nil for a new one. The file is `damaged` if it is not a
    /// controller's store or has another content than was written, and `missing` also without its witness.
    init(path: String, durability: Durability, fleet name: FleetName? = nil) throws(StorageError) {
        self.path = path
        let witnessPath = Witness.path(besideStore: path)
        try StorageError.checkOwner(ofDatabase: path)
        let witness = try Witness.open(at: witnessPath, durability)
        // Opening a missing file would create an empty one.
        if witness?.store != nil, access(path, F_OK) != 0 { throw .missing(path: path) }
        let beginning: (fleet: FleetName, isWitnessed: Bool, changes: UInt64, onDisk: UInt64)
        do {
            database = try SerializedDatabase(path: path, busyTimeout: .seconds(2))
            beginning = try database.withLock { db in
                try TableChecksums.addFunction(to: db)
                // A file that is damaged or not yet checked must not change.
                try db.writeBackOnClose(false)
                try db.inTransaction(.deferred) { try Self.verify(db, at: path, witness, at: witnessPath) }
                try db.writeBackOnClose(true)
                try db.writeAhead(synchronous: durability.synchronous, path: path)
                try Self.migrate(db, at: path)
                return try Self.begin(db, fleet: witness?.fleet ?? name, durability)
            }
        } catch {
            throw StorageError(error, path: path)
        }
        (fleet, changesOnDisk) = (beginning.fleet, beginning.onDisk)
        changeCount = Atomic(beginning.changes)
        var present = witness
        if witness?.fleet == nil {
            try Witness.make(at: witnessPath, of: fleet, store: witness?.store, journal: witness?.journal)
            present = try Witness.open(at: witnessPath, durability)
        }
        guard let present else { throw .missing(path: witnessPath) }
        self.witness = present
        if !beginning.isWitnessed {
            try transaction(.immediate) { try $0.execute("UPDATE progress SET isWitnessed = 1") }
        }
    }

    var changes: UInt64 { changeCount.load(ordering: .acquiring) }

    func position(_ durability: Durability) -> StorePosition {
        let changes = changes
        return StorePosition(
            boot: SystemBoot.id, onDisk: durability == .power ? changes : changesOnDisk, changes: changes)
    }

    /// Stores the end of the journal, writes everything to the disk, and closes the file. On a full disk, or
    /// while another program reads the file, the log stays beside it.
    func close() throws(StorageError) {
        do {
            try transaction(.immediate) { _ in }
            try database.withLock { db in
                try db.checkpoint()
                try db.close()
            }
        } catch {
            switch StorageError(error, path: path) {
            case .full, .inUse: return
            case let error: throw error
            }
        }
        try witness.recordStoreSync()
    }

    /// Checks that a file is a controller's store, of this version or an earlier one, with the content that
    /// was written.
    static func verify(_ db: Database, at path: String, _ witness: Witness?, at witnessPath: String) throws {
        guard try !Migrations.areSuperseded(in: db) else { throw StorageError.newer(path: path) }
        guard try isOursOrEmpty(db) else {
            throw StorageError.damaged(path: path, what: "not a controller's store")
        }
        try check(db, at: path, witness, at: witnessPath)
    }

    private static func isOursOrEmpty(_ db: Database) throws -> Bool {
        let others = "SELECT count(*) FROM sqlite_master WHERE name NOT LIKE '%grdb_migrations%'"
        if try db.prepare(others).value(Int.self) == 0 { return true }
        return try Migrations.haveBegun(in: db)
    }

    /// Reads, raises and stores the epoch in one exclusive transaction: the largest of the stored one plus
    /// one, that of the cell of an account that was moved here plus one, and the seconds since 1970.
    ///
    /// An epoch that is far ahead of the clock is still incremented: devices that know it refuse lower ones.
    /// One that cannot be is damage. The raise is not a counted change, because the journal may still be
    /// refused.
    func beginEpoch(at now: WallTime) throws(StorageError) -> Epoch {
        let (epoch, changes) = try transaction(.exclusive, isCounted: false) { db in
            let stored = try db.prepare("SELECT value FROM epoch").value(Int64.self) ?? 0
            guard (0..<Int64(Limits.largestOrdinal)).contains(stored) else {
                throw StorageError.damaged(path: path, what: "an epoch of \(stored)")
            }
            let raised = max(stored + 1, try Self.epochOfMoves(in: db) + 1, now.unixMilliseconds / 1_000)
            try db.prepare("UPDATE epoch SET value = ?").execute([raised])
            // An earlier controller may have changed the store until now.
            let changes = try db.prepare("SELECT changes FROM progress").value(Int64.self) ?? 0
            return (Epoch(UInt64(raised)), UInt64(changes))
        }
        ours.withLock { $0 = epoch }
        changeCount.store(changes, ordering: .releasing)
        return epoch
    }

    /// Stores a higher epoch that devices know, so that the epoch of the next start exceeds it.
    func raiseEpoch(to fencing: Epoch) throws(StorageError) {
        try transaction(.exclusive) { db in
            try db.prepare("UPDATE epoch SET value = max(value, ?)").execute([Int64(fencing.value)])
        }
    }

    func users() throws(StorageError) -> [ControllerConfiguration.User] {
        try transaction(.deferred) { db in
            try db.prepare("SELECT * FROM users ORDER BY email").rows().map(Self.user)
        }
    }

    func add(_ user: ControllerConfiguration.User) throws(StorageError) {
        try transaction(.immediate) { try Self.insert(user, in: $0) }
    }

    /// Stores changes, all or none; changes of requests are skipped, because the journal stores them. It
    /// throws `fenced` if another controller has raised the epoch; no effect of the batch may be sent.
    func append(_ changes: [StorageChange]) throws(StorageError) {
        try whileOurs { db, epoch in
            for change in changes {
                switch change {
                case .request: break
                case .access(let entry): try Self.write(entry, in: db)
                case .directory(let entry): try NodeTables.write(entry, confirmedIn: epoch, in: db)
                case .service(let record): try ServiceRecordTable.write(record, in: db)
                case .move(let entry): try Self.write(entry, in: db)
                }
            }
        }
        if changes.contains(where: \.endsMove) { moved.withLock { $0 = true } }
    }

    /// Whether this run has stored the end of a move: another start is needed, which reads what is new.
    var hasMoved: Bool { moved.withLock(\.self) }

    /// Runs work while no other process can store an epoch; throws `fenced` if the stored one is not ours.
    func whileOurs(_ body: (Database, Epoch) throws -> Void) throws(StorageError) {
        let own = ours.withLock { $0 }
        try whileOurs(own) { db in try body(db, own) }
    }

    /// Runs work while no other process can store an epoch; throws `fenced` if the stored one is another.
    func whileOurs(_ own: Epoch, _ body: (Database) throws -> Void) throws(StorageError) {
        try transaction(.immediate) { db in
            let stored = Epoch(UInt64(try db.cached("SELECT value FROM epoch").value(Int64.self) ?? 0))
            guard stored == own else { throw StorageError.fenced(by: stored) }
            try body(db)
        }
    }

    private static func write(_ entry: AccessEntry, in db: Database) throws {
        switch entry {
        case .sessionOpened(let digest, let email, let openedAt):
            try insertSession(digest, of: email, openedAt: openedAt, in: db)
        case .sessionUsed(let digest, let usedAt): try writeUse(of: digest, at: usedAt, in: db)
        case .sessionsClosed(let digests): try deleteSessions(digests, in: db)
        case .keyAdded(let key, let digest): try insert(key, digest, in: db)
        case .keysRevoked(let digests): try deleteKeys(digests, in: db)
        case .userAdded(let user): try insert(user, in: db)
        case .userRemoved(let email):
            try db.prepare("DELETE FROM users WHERE email = ?").execute([email.address])
        case .passwordChanged(let user):
            try db.prepare("UPDATE users SET passwordHash = ? WHERE email = ?").execute([
                user.passwordHash, user.session.email.address,
            ])
        case .roleChanged(let user):
            try db.prepare("UPDATE users SET role = ? WHERE email = ?").execute([
                user.session.role.name, user.session.email.address,
            ])
        case .loginFailed(let failures):
            let cutoff = failures.lastAt.advanced(by: .zero - LoginFailures.memory)
            try db.prepare("DELETE FROM loginFailures WHERE lastAtMs <= ?").execute([cutoff.unixMilliseconds])
            try db.prepare("INSERT OR REPLACE INTO loginFailures VALUES (?, ?, ?)").execute([
                failures.email.address, failures.count, failures.lastAt.unixMilliseconds,
            ])
        case .loginForgiven(let email):
            try db.prepare("DELETE FROM loginFailures WHERE email = ?").execute([email.address])
        case .resetBegan(let reset): try insert(reset, in: db)
        case .resetEnded(let email): try deletePasswordReset(of: email, in: db)
        case .signUpsSpent(let wholeAt): try writeSignUps(wholeAt: wholeAt, in: db)
        }
    }

    private static func insert(_ user: ControllerConfiguration.User, in db: Database) throws {
        let session = user.session
        try db.prepare("INSERT INTO users VALUES (?, ?, ?, ?, ?)").execute([
            session.email.address, session.account.name, session.role.name, session.isOperator,
            user.passwordHash,
        ])
    }

    /// Runs work in one transaction; an immediate one changes something, and is counted.
    func transaction<Result: Sendable>(
        _ kind: Database.TransactionKind, isCounted: Bool = true, _ body: (Database) throws -> Result
    ) throws(StorageError) -> Result {
        do {
            return try database.withLock { db in
                let (result, changes) = try db.inTransaction(kind) {
                    let result = try body(db)
                    guard isCounted, kind != .deferred else { return (result, UInt64?.none) }
                    return (result, try Self.countChange(in: db, witness.journal))
                }
                if let changes {
                    changeCount.store(changes, ordering: .releasing)
                    try witness.recordStore(changes: changes)
                }
                return result
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    private static func user(_ row: Row) throws -> ControllerConfiguration.User {
        guard let email = Email(try row["email"]), let account = AccountID(try row["account"]),
            let role = try Session.Role.allCases.first(where: { try $0.name == row["role"] })
        else { throw Damage.row(table: "users") }
        let session = Session(account: account, email: email, role: role, isOperator: try row["isOperator"])
        return ControllerConfiguration.User(session: session, passwordHash: try row["passwordHash"])
    }
}
