import Glibc

/// A small file that its owner alone may read.
package struct PrivateFile {
    /// The most bytes that are read: a session has some three hundred.
    static let limitBytes = 64 * 1_024

    private let path: String

    /// The file at that path.
    package init(path: String) {
        self.path = path
    }

    /// Its bytes; nil when there is no such file.
    ///
    /// - Throws: `fileOpenToOthers` where others may read or write it, and as ``OwnFile/open(_:_:)``.
    func read() throws(RuntimeError) -> [UInt8]? {
        guard let descriptor = try OwnFile.openIfPresent(path, O_RDONLY) else { return nil }
        defer { close(descriptor) }
        guard let permissions = FileStatus(of: descriptor)?.permissions else {
            throw .lastError("look at", path)
        }
        guard permissions & 0o077 == 0 else { throw .fileOpenToOthers(path: path, mode: permissions) }
        var content: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4_096)
        while content.count < Self.limitBytes {
            let count = Glibc.read(descriptor, &block, block.count)
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw .lastError("read", path)
            }
            content += block[..<count]
        }
        return content
    }

    /// Puts other bytes in its place at once: a reader sees the old ones or the new ones.
    ///
    /// - Throws: `system` with the call that failed.
    package func replace(with content: [UInt8]) throws(RuntimeError) {
        let draft = "\(path).\(getpid()).new"
        guard unlink(draft) == 0 || errno == ENOENT else { throw .lastError("remove", draft) }
        do throws(RuntimeError) {
            try write(content, to: draft)
            guard rename(draft, path) == 0 else { throw .lastError("replace", path) }
        } catch {
            unlink(draft)
            throw error
        }
    }

    /// Makes it with those bytes, whole or not at all; an existing file stays unchanged.
    ///
    /// - Throws: `system` with the call that failed.
    func create(with content: [UInt8]) throws(RuntimeError) {
        let draft = "\(path).\(getpid()).new"
        guard unlink(draft) == 0 || errno == ENOENT else { throw .lastError("remove", draft) }
        defer { unlink(draft) }
        try write(content, to: draft)
        guard link(draft, path) == 0 || errno == EEXIST else { throw .lastError("create", path) }
    }

    /// Removes it; nothing when it is not there.
    func remove() throws(RuntimeError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .lastError("remove", path) }
    }

    private func write(_ content: [UInt8], to draft: String) throws(RuntimeError) {
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .lastError("create", draft) }
        defer { close(descriptor) }
        var rest = content
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest, rest.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw .lastError("write", draft)
            }
            rest.removeFirst(count)
        }
    }
}
