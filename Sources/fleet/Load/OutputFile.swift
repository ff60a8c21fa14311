import Glibc
import ProcessSupport

/// An output file: checked before the work, and replaced atomically.
struct OutputFile: Sendable {
    /// The path as it was typed.
    let name: String
    /// The absolute path.
    let path: String

    /// A file; a relative path starts at the working directory.
    init(_ name: String, in surroundings: Surroundings) {
        self.name = name
        path = surroundings.path(of: name)
    }

    private var draft: String { "\(path).\(getpid()).new" }

    /// Checks that the file can be written.
    ///
    /// - Throws: `CommandFailure` with the reason.
    func check() throws(CommandFailure) {
        if FileStatus(following: path)?.isRegularFile == false {
            throw CommandFailure(.usage, "\(name) cannot be replaced: it is not a regular file")
        }
        close(try openDraft())
        unlink(draft)
    }

    /// Replaces the file: a reader sees the former content or the whole new text.
    ///
    /// - Throws: `CommandFailure` if that fails; the former content then stays.
    func replace(with text: String) throws(CommandFailure) {
        let descriptor = try openDraft()
        var rest = Array(text.utf8)
        while !rest.isEmpty {
            let count = uninterrupted { write(descriptor, rest, rest.count) }
            guard count >= 0 else { break }
            rest.removeFirst(count)
        }
        let failure = rest.isEmpty ? 0 : errno
        guard close(descriptor) == 0, failure == 0, rename(draft, path) == 0 else {
            let number = failure == 0 ? errno : failure
            unlink(draft)
            throw CommandFailure(
                .refused, "cannot write \(name) (errno \(number))", advice: "free space there")
        }
    }

    private func openDraft() throws(CommandFailure) -> Int32 {
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .usage, "cannot write \(name) (errno \(errno))",
                advice: "create its directory, or change its permissions")
        }
        return descriptor
    }
}
