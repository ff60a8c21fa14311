public import FleetProtocol

/// Why something was not kept, or cannot be read.
///
/// Nothing is ever overwritten to get around it.
public enum StorageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another controller has started meanwhile: nothing of the batch may leave.
    case fenced(by: Epoch)
    /// There is no room: nothing was kept, and the same batch may be tried again.
    case full(path: String)
    /// Another process has a file open that is nobody else's then.
    case inUse(path: String)
    /// A file was written by a newer version.
    case newer(path: String)
    /// A file is not what it should be, or it is damaged.
    case damaged(path: String, what: String)
    /// A file that was there is gone, and with it what says which requests have run.
    case missing(path: String)
    /// A file cannot be opened, read or written; what was kept is known only after it is read anew.
    case failed(path: String, what: String)

    /// What failed, where, and what to do.
    public var description: String {
        switch self {
        case .fenced(let epoch):
            "another controller has started with epoch \(epoch): this one stops"
        case .full(let path):
            "no space left for \(path): free space on that disk; the write is tried again every 250 ms"
        case .inUse(let path):
            "\(path) is in use by another process: end that controller first, or use another run directory"
        case .newer(let path):
            "\(path) was written by a newer version of Sensibus: use that version, or another run directory"
        case .damaged(let path, let what):
            "\(path) is damaged (\(what)): use another run directory; nothing was changed"
        case .missing(let path):
            "\(path) is gone, without which requests could run twice: put it back, or use another run directory"
        case .failed(let path, let what):
            "cannot use \(path): \(what); check that the directory can be written and the disk is not full"
        }
    }
}
