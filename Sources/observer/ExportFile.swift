import Glibc
import ObserverCore

/// Writes exports, and never over a file that nobody has agreed to lose.
enum ExportFile {
    private struct Failure: Error {
        let errno: Int32
    }

    /// Writes one: a new file, or, where that was agreed to, in place of the one that is there at once.
    static func write(_ export: TableExport) -> ViewResult {
        do throws(Failure) {
            if export.replaces {
                let draft = "\(export.path).\(getpid()).new"
                try create(draft, export.content)
                guard rename(draft, export.path) == 0 else { throw giveUp(draft) }
            } else {
                try create(export.path, export.content)
            }
            return .exported(export)
        } catch {
            if error.errno == EEXIST, !export.replaces { return .fileExists(export) }
            return .exportFailed(export, why: "\(export.path): \(String(cString: strerror(error.errno)))")
        }
    }

    /// Writes a file that was not there; one that cannot be written whole goes again.
    private static func create(_ path: String, _ content: [UInt8]) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Failure(errno: errno) }
        defer { close(descriptor) }
        var written = 0
        while written < content.count {
            let block = content[written..<min(written + 65_536, content.count)]
            let count = Glibc.write(descriptor, Array(block), block.count)
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw giveUp(path)
            }
        }
    }

    /// Removes what is not whole; why it is not.
    private static func giveUp(_ path: String) -> Failure {
        let failure = Failure(errno: errno)
        unlink(path)
        return failure
    }
}
