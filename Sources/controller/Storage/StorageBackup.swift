import ControllerCore
import FleetProtocol
import Foundation
import GRDB
import Glibc
import Runtime

/// Copies of a run directory's store and journal, with a witness that belongs to them.
///
/// The store is copied first, as it is at one moment, and the journal after it, up to a later one. So the
/// journal knows every request that the store knows of. The witness of the copies says that what followed
/// them is lost: a controller that starts with them refuses the IDs of all requests that are older than its
/// start and that the journal does not know.
struct StorageBackup {
    /// How often the copies are made again because another controller has started meanwhile.
    private static let tries = 5

    private let source: RunDirectory
    private let target: RunDirectory

    /// The copies of a run directory, in a directory that is laid out like one.
    init(of source: RunDirectory, in target: RunDirectory) {
        (self.source, self.target) = (source, target)
    }

    /// Makes the copies, and returns when they are on the disk.
    ///
    /// - Throws: `missing` where there is no store, `damaged` where its copy is, `inUse` where other
    ///   controllers start all the time, `full` or `failed`.
    func make() throws(StorageError) {
        for _ in 0..<Self.tries {
            let epoch = try copyStore()
            try JournalCopy(of: source.journalDirectory, in: target.journalDirectory).make()
            try Witness.makeOfCopies(at: Witness.path(besideStore: target.storeFile))
            // What two controllers have written is not of one moment.
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
