import ControllerCore
import GRDB
import Glibc
import Runtime

/// A value in a file that was never written by a controller.
enum Damage: Error {
    case row(table: String)
}

extension StorageError {
    /// What an error of the database means for the file at a path.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as StorageError: self = error
        case Damage.row(let table): self = .damaged(path: path, what: "a row of table \(table)")
        case let error as RowDecodingError: self = .damaged(path: path, what: "\(error)")
        case let error as DatabaseError:
            let what = error.message ?? error.resultCode.description
            switch error.resultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path: path, what: what)
            case .SQLITE_FULL: self = .full(path: path)
            case .SQLITE_BUSY: self = .inUse(path: path)
            default: self = .failed(path: path, what: what)
            }
        case RuntimeError.system(_, _, ENOSPC), RuntimeError.system(_, _, EDQUOT): self = .full(path: path)
        default: self = .failed(path: path, what: "\(error)")
        }
    }
}
