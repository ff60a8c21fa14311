import Glibc
import ObserverCore

/// Writes exports, and replaces an existing file only with the user's consent.
enum ExportFile {
    private struct Failure: Error {
        let errno: Int32
    }

    /// Writes an export to a new file, or atomically replaces the existing file if the user agreed.
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

    /// Creates a file, and removes it if it cannot be written completely.
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

    /// Removes an incomplete file and returns the reason.
    private static func giveUp(_ path: String) -> Failure {
        let failure = Failure(errno: errno)
        unlink(path)
        return failure
    }
}
