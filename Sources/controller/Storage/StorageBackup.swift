import ArgumentParser
import ControllerCore
import FleetProtocol
import FoundationEssentials
import Glibc
import Logging
import ProcessSupport

/// Copies of a run directory's store and journal, with a matching witness.
///
/// The copy of the journal is of a later moment than that of the store, so it has every request that the
/// store refers to. The witness of the copies says that later batches are lost: a controller that starts with
/// the copies refuses each unknown request whose ID is older than the start. A later start cannot detect
/// damage from before the copy, so the copies are checked here as at a start.
struct StorageBackup {
    private struct StoreCopy {
        let epoch: Epoch
        /// The fleet; nil in an earlier format.
        let fleet: FleetName?
        /// The end of the journal at the last change; nil in an earlier format.
        let journal: WitnessMark?
        /// The store's count of its changes; nil in an earlier format.
        let changes: UInt64?
        /// The number of the newest segment that was ever created; 0 before the first.
        let newestSegment: Int
    }

    /// The maximum number of attempts: another controller may start during each.
    private static let tries = 5

    private let source: RunDirectory
    private let target: RunDirectory

    /// Copies of a run directory, in a directory with the same layout.
    init(of source: RunDirectory, in target: RunDirectory) { (self.source, self.target) = (source, target) }

    /// Makes the copies, and returns when they are synced to the disk. It fails with `inUse` if other
    /// controllers start during each attempt, and for what a controller would refuse.
    func make() throws(StorageError) {
        for _ in 0..<Self.tries {
            // Store and journal reach at least this point before they are copied.
            let witness = try readWitness()
            let store = try copyStore(witness)
            var journal = JournalCopy(of: source.journalDirectory, in: target.journalDirectory)
            try journal.make()
            // The files of two controllers are not consistent with each other.
            let later = try presentFacts()
            guard later.epoch == store.epoch else { continue }
            let end = try checkJournal(witness, store, changes: later.changes)
            return try Witness.makeOfCopies(
                at: Witness.path(besideStore: target.storeFile),
                of: store.fleet ?? witness?.fleet ?? .new(), storeChanges: store.changes, end: end)
        }
        throw .inUse(path: source.storeFile)
    }

    /// Reads the source's witness; nil for a missing file.
    private func readWitness() throws(StorageError) -> Witness? {
        let path = Witness.path(besideStore: source.storeFile)
        for _ in 1..<Self.tries {
            do throws(StorageError) {
                return try Witness.open(at: path, .process)
            } catch {
                // A slot that is being written does not match its checksum.
                guard case .damaged = error else { throw error }
            }
        }
        return try Witness.open(at: path, .process)
    }

    private func copyStore(_ witness: Witness?) throws(StorageError) -> StoreCopy {
        let path = source.storeFile
        do {
            let original = try openStore()
            let copy = try makeStore()
            try original.backUp(to: copy)
            try original.close()
            let finding = try copy.prepare("PRAGMA integrity_check(1)").value(String.self) ?? ""
            guard finding == "ok" else { throw StorageError.damaged(path: path, what: finding) }
            try Store.verify(copy, at: path, witness, at: Witness.path(besideStore: path))
            let facts = try Self.facts(copy)
            try copy.close()
            return facts
        } catch {
            let error = StorageError(error, path: path)
            throw error.isForWantOfRoom ? .full(path: target.storeFile) : error
        }
    }

    private static func facts(_ db: Database) throws -> StoreCopy {
        var (changes, newestSegment): (Int64?, Int?)
        if try db.hasTable("progress") {
            changes = try db.prepare("SELECT changes FROM progress").value(Int64.self)
        }
        if try db.hasTable("newestSegment") {
            newestSegment = try db.prepare("SELECT number FROM newestSegment").value(Int.self)
        }
        return StoreCopy(
            epoch: try epoch(in: db), fleet: try Store.fleet(in: db), journal: try Store.journalMark(in: db),
            changes: changes.flatMap(UInt64.init(exactly:)),
            newestSegment: newestSegment ?? 0)
    }

    /// Creates an empty store for the copy, in place of that of an earlier attempt.
    private func makeStore() throws(StorageError) -> Database {
        let path = target.storeFile
        return try StorageError.converting(at: path) {
            for suffix in ["", "-wal", "-shm"] where unlink(path + suffix) != 0 && errno != ENOENT {
                throw StorageError.failed(path: path + suffix, what: String(cString: strerror(errno)))
            }
            let copy = try Database(path: path)
            try TableChecksums.addFunction(to: copy)
            return copy
        }
    }

    /// Checks the copies of the segments as a start does, and reads all of them in addition. The changes are
    /// those of the store after the copies were made.
    private func checkJournal(
        _ witness: Witness?, _ store: StoreCopy, changes: UInt64?
    ) throws(StorageError) -> JournalEnd? {
        var check = JournalCheck(against: RecordedOutcome(witness?.journal, store.journal))
        let exists = access(target.journalDirectory, F_OK) == 0
        for number in exists ? try copies.segments() : [] {
            check.begin(number)
            try read(number, into: &check).close()
        }
        let position = StorePosition(boot: SystemBoot.id, onDisk: 0, changes: changes ?? 0)
        return try check.finish(
            newest: store.newestSegment, store: (position, source.storeFile), name: original)
    }

    private func read(_ number: Int, into check: inout JournalCheck) throws(StorageError) -> SegmentFile {
        do throws(StorageError) {
            let file = try copies.open(number)
            try file.read { (batch) throws(StorageError) in try check.append(batch) }
            return file
        } catch {
            // The copy has the same damage as the file.
            switch error {
            case .damaged(_, let what): throw .damaged(path: original(number), what: what)
            case .failed(_, let what): throw .failed(path: original(number), what: what)
            case .newer: throw .newer(path: original(number))
            default: throw error
            }
        }
    }

    private var copies: SegmentDirectory { SegmentDirectory(target.journalDirectory) }

    private func original(_ segment: Int) -> String {
        SegmentDirectory(source.journalDirectory).file(of: segment)
    }

    private func presentFacts() throws(StorageError) -> StoreCopy {
        try StorageError.converting(at: source.storeFile) {
            let store = try openStore()
            let facts = try Self.facts(store)
            try store.close()
            return facts
        }
    }

    private func openStore() throws -> Database {
        // Opening a missing file would create an empty one.
        guard access(source.storeFile, F_OK) == 0 else { throw StorageError.missing(path: source.storeFile) }
        try StorageError.checkOwner(ofDatabase: source.storeFile)
        let store = try Database(path: source.storeFile, busyTimeout: .seconds(2))
        try store.writeBackOnClose(false)
        return store
    }

    private static func epoch(in db: Database) throws -> Epoch {
        guard let value = try db.prepare("SELECT value FROM epoch").value(Int64.self), value >= 0 else {
            throw Damage.row(table: "epoch")
        }
        return Epoch(UInt64(value))
    }
}

/// `controller back-up`: copies store and journal, also while a controller serves them.
struct BackUp: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "back-up",
        abstract: "Copy store and journal into another directory, also while they are in use.",
        discussion: """
            `fleet backup` runs this command, and adds the rest of the run directory: use that instead.

            EXAMPLES
              controller back-up --run-dir /tmp/lab --to /tmp/copy
            """)

    @Option(help: "The run directory, with the store and the journal.") var runDir = RunDirectory.defaultName

    @Option(help: ArgumentHelp("The existing directory for the copies.", valueName: "directory"))
    var to: String

    func run() throws {
        try Hardening.apply(environment: Environment.current)
        try Hardening.forbidNewPrivileges()
        let place = try Environment.workingDirectory
        let directory = RunDirectory(path: runDir, relativeTo: place)
        let target = RunDirectory(path: to, relativeTo: place)
        try directory.check()
        try target.check()
        try StorageBackup(of: directory, in: target).make()
    }
}
