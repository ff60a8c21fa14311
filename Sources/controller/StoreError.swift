import FleetProtocol
import GRDB

/// What keeps the controller from its memory.
///
/// Nothing is ever overwritten to get around it.
enum StoreError: Error, CustomStringConvertible {
    /// A value in the file that was never written by a controller.
    enum Damage: Error {
        case row(table: String)
    }

    /// Another controller has started meanwhile.
    case fenced(by: Epoch)
    /// The file was written by a newer version.
    case newer(path: String)
    /// The file is not a store, or it is damaged.
    case damaged(path: String, what: String)
    /// The file cannot be opened, read or written.
    case failed(path: String, what: String)

    init(_ error: any Error, path: String) {
        switch error {
        case let error as StoreError: self = error
        case Damage.row(let table): self = .damaged(path: path, what: "a row of table \(table)")
        case let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode):
            self = .damaged(path: path, what: error.message ?? error.resultCode.description)
        case let error as DatabaseError:
            self = .failed(path: path, what: error.message ?? error.resultCode.description)
        default: self = .failed(path: path, what: "\(error)")
        }
    }

    /// What failed, where, and what to do.
    var description: String {
        switch self {
        case .fenced(let epoch):
            "another controller has started with epoch \(epoch): this one stops"
        case .newer(let path):
            "\(path) was written by a newer version of Sensibus: use that version, or another run directory"
        case .damaged(let path, let what):
            "\(path) is damaged (\(what)): move it away, or use another run directory; nothing was changed"
        case .failed(let path, let what):
            "cannot use \(path): \(what); check that the directory can be written and the disk is not full"
        }
    }
}
