import CSQLite
import GRDB

extension DatabaseQueue {
    /// Sets whether the last connection that is closed writes the log back into the file and removes it.
    ///
    /// A file that was not checked yet, or is damaged, must not change.
    func writeBackOnClose(_ writesBack: Bool) throws {
        try writeWithoutTransaction { db in
            guard let connection = db.sqliteConnection else {
                throw DatabaseError(resultCode: .SQLITE_MISUSE)
            }
            let code = sensibus_write_back_on_close(connection, writesBack ? 1 : 0)
            guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        }
    }
}
