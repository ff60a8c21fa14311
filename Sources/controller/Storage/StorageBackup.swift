import ControllerCore
import FleetProtocol
import Foundation
import GRDB
import Glibc
import Runtime

/// Copies of a run directory's store and journal, with a witness that belongs to them.
///
/// The copy of the store is of one moment, and that of the journal of a later moment. So the journal has
/// every request that the store refers to. The witness of the copies says that later batches are lost: a
/// controller that starts with the copies refuses each unknown request whose ID is older than the start.
struct StorageBackup {
    /// The most attempts: another controller may start during each.
    private static let tries = 5

    private let source: RunDirectory
    private let target: RunDirectory

    /// The copies of a run directory, in a directory that is laid out like one.
    init(of source: RunDirectory, in target: RunDirectory) {
        (self.source, self.target) = (source, target)
    }

    /// Makes the copies, and returns when they are on the disk.
    ///
    /// - Throws: `missing` for a missing store, `damaged` for a damaged one, `inUse` if other controllers
    ///   start during each attempt, `full` or `failed`.
    func make() throws(StorageError) {
        for _ in 0..<Self.tries {
            let epoch = try copyStore()
            try JournalCopy(of: source.journalDirectory, in: target.journalDirectory).make()
            try Witness.makeOfCopies(at: Witness.path(besideStore: target.storeFile))
            // Files of two controllers do not belong together.
            if try self.epoch() == epoch { return }
        }
        throw .inUse(path: source.storeFile)
    }

    /// Copies the store.
    ///
    /// - Returns: The epoch in it.
    private func copyStore() throws(StorageError) -> Epoch {
        let path = target.storeFile
        do {
            let original = try openStore()
            for suffix in ["", "-wal", "-shm"] where unlink(path + suffix) != 0 && errno != ENOENT {
                throw StorageError.failed(path: path + suffix, what: String(cString: strerror(errno)))
            }
            let copy = try DatabaseQueue(path: path)
            try original.backup(to: copy)
            let epoch = try copy.writeWithoutTransaction { db in
                let finding = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)") ?? ""
                guard finding == "ok" else {
                    throw StorageError.damaged(path: source.storeFile, what: finding)
                }
                return try Self.epoch(in: db)
            }
            try original.close()
            try copy.close()
            return epoch
        } catch {
            throw StorageError(error, path: path)
        }
    }

    private func epoch() throws(StorageError) -> Epoch {
        do {
            let store = try openStore()
            let epoch = try store.read(Self.epoch)
            try store.close()
            return epoch
        } catch {
            throw StorageError(error, path: source.storeFile)
        }
    }

    private func openStore() throws -> DatabaseQueue {
        // Opening would make an empty one.
        guard access(source.storeFile, F_OK) == 0 else {
            throw StorageError.missing(path: source.storeFile)
        }
        var configuration = Configuration()
        configuration.busyMode = .timeout(2)
        let store = try DatabaseQueue(path: source.storeFile, configuration: configuration)
        try store.writeBackOnClose(false)
        return store
    }

    private static func epoch(in db: Database) throws -> Epoch {
        guard let value = try Int64.fetchOne(db, sql: "SELECT value FROM epoch"), value >= 0 else {
            throw Damage.row(table: "epoch")
        }
        return Epoch(UInt64(value))
    }
}
