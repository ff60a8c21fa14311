import Glibc

/// A file that a result goes to: checked before there is one, and written whole or not at all.
struct OutputFile: Sendable {
    /// Its path, as it was typed.
    let name: String
    /// Its path; absolute.
    let path: String

    /// A file; a relative path starts at the working directory.
    init(_ name: String, in surroundings: Surroundings) {
        self.name = name
        path = name.hasPrefix("/") ? name : "\(surroundings.workingDirectory)/\(name)"
    }

    private var draft: String { "\(path).\(getpid()).new" }

    /// Finds out whether it could be written.
    ///
    /// - Throws: `CommandFailure` with the reason.
    func check() throws(CommandFailure) {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw CommandFailure(.usage, "\(name) is no file that could be replaced")
        }
        close(try openDraft())
        unlink(draft)
    }

    /// Puts a text in its place: a reader sees what was there before, or all of it.
    ///
    /// - Throws: `CommandFailure` when that fails, and then what was there before stays.
    func replace(with text: String) throws(CommandFailure) {
        let descriptor = try openDraft()
        var rest = Array(text.utf8)
        while !rest.isEmpty {
            let count = write(descriptor, rest, rest.count)
            if count < 0, errno == EINTR { continue }
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
                advice: "make its directory first, and look who may write there")
        }
        return descriptor
    }
}
