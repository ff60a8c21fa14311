import Glibc
import ProcessSupport

/// The file of `--log`, to which every message of the log is appended.
struct MessageFile: Sendable {
    private let path: String
    /// The open file; nil after a failed write, so that one failure is reported once.
    private var descriptor: Int32?

    /// Opens or creates the file; the process closes it at its end.
    init(path: String) throws(RuntimeError) {
        self.path = path
        descriptor = try OwnFile.openIfPresent(path, O_WRONLY | O_APPEND | O_CREAT, isGiven: true)
        if descriptor == nil { throw .system(operation: "open", path: path, errno: ENOENT) }
    }

    /// Appends messages, a line each. Returns why the file could not be written, for the screen; later
    /// messages are not written then.
    mutating func append(_ messages: [EventLine]) -> String? {
        guard let descriptor, !messages.isEmpty else { return nil }
        var lines: [UInt8] = []
        for message in messages { message.appendLogLine(to: &lines) }
        var rest = lines[...]
        while !rest.isEmpty {
            let count = uninterrupted {
                rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            }
            guard count > 0 else {
                let why = String(cString: strerror(errno))
                close(descriptor)
                self.descriptor = nil
                return
                    "cannot write to \(path): \(why). Further messages are not written; start the observer again."
            }
            rest = rest.dropFirst(count)
        }
        return nil
    }
}
