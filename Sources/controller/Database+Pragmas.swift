import ControllerCore
import GRDB
import Runtime

extension Database {
    /// Has the file write ahead, and wait for the disk as wanted; both are read back.
    ///
    /// - Throws: `failed` when that is not what is in force then.
    func writeAhead(synchronous wanted: (word: String, number: Int), path: String) throws {
        let mode = try String.fetchOne(self, sql: "PRAGMA journal_mode = WAL")
        try execute(sql: "PRAGMA synchronous = \(wanted.word)")
        let synchronous = try Int.fetchOne(self, sql: "PRAGMA synchronous")
        guard mode == "wal", synchronous == wanted.number else {
            throw StorageError.failed(
                path: path, what: "write-ahead logging, synchronous \(wanted.word), is not to be had")
        }
    }
}
