import Glibc
import UserText

/// Opens files of the process's user, and refuses those that another user put in their place.
package enum OwnFile {
    /// Opens a regular file that belongs to the process's user, or creates one with mode 0600. A symbolic
    /// link is not followed, but parent directories are not checked. `O_CLOEXEC` and `O_NOFOLLOW` are added
    /// to the flags. The caller closes the descriptor.
    package static func open(_ path: String, _ flags: Int32) throws(RuntimeError) -> Int32 {
        guard let descriptor = try openIfPresent(path, flags) else {
            throw .system(operation: "open", path: path, errno: ENOENT)
        }
        return descriptor
    }

    /// Does the same as ``open(_:_:)``, and returns nil for a missing file. For a file that the user has
    /// named, links are followed, and it may be root's.
    package static func openIfPresent(
        _ path: String, _ flags: Int32, isGiven: Bool = false
    ) throws(RuntimeError) -> Int32? {
        let following = isGiven ? 0 : O_NOFOLLOW
        // Without O_NONBLOCK the call would block on a named pipe at that path.
        let descriptor = Glibc.open(path, flags | O_CLOEXEC | following | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw errno == ELOOP ? .symbolicLink(path: path) : .lastError("open", path)
        }
        do throws(RuntimeError) {
            guard let status = FileStatus(of: descriptor) else { throw .lastError("look at", path) }
            try checkFile(status, at: path, isGiven: isGiven)
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Creates a file with the given contents; one that cannot be written completely is removed.
    package static func create(
        _ path: String, with content: [UInt8], mode: UInt32 = 0o600
    ) throws(RuntimeError) {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .lastError("create", path) }
        defer { close(descriptor) }
        var rest = content
        while !rest.isEmpty {
            let count = uninterrupted { Glibc.write(descriptor, rest, rest.count) }
            guard count >= 0 else {
                let failure = RuntimeError.lastError("write", path)
                unlink(path)
                throw failure
            }
            rest.removeFirst(count)
        }
    }

    /// Reads an open file to its end, or until it has given as many bytes as `limit`.
    package static func content(
        of descriptor: Int32, at path: String, upTo limit: Int
    ) throws(RuntimeError) -> [UInt8] {
        var content: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4_096)
        while content.count < limit {
            let count = uninterrupted { Glibc.read(descriptor, &block, block.count) }
            guard count >= 0 else { throw .lastError("read", path) }
            if count == 0 { break }
            content += block[..<count]
        }
        return content
    }

    /// Refuses an entry of a private directory that is a symbolic link, another user's, or of another kind; a
    /// missing one passes.
    package static func check(_ path: String, isDirectory: Bool = false) throws(RuntimeError) {
        guard let status = FileStatus(of: path) else { return }
        guard !status.isSymbolicLink else { throw .symbolicLink(path: path) }
        if isDirectory {
            guard status.isDirectory else { throw .notDirectory(path: path) }
            guard status.owner == geteuid() else { throw .foreignDirectory(path: path, owner: status.owner) }
        } else {
            try checkFile(status, at: path)
        }
    }

    /// Refuses a directory that the user has named, if other users can write to it or replace it.
    package static func checkUnwritable(_ path: String) throws(RuntimeError) {
        let start = path.hasPrefix("/") ? "/" : try Environment.workingDirectory
        let directory = RunDirectory(path: path, relativeTo: start).path
        try TrustedPath.check(leadingTo: "\(directory)/file")
        guard let status = FileStatus(following: directory), status.permissions & 0o002 != 0 else { return }
        throw .writableParent(of: "its files", directory: directory, mode: status.permissions)
    }

    private static func checkFile(
        _ status: FileStatus, at path: String, isGiven: Bool = false
    ) throws(RuntimeError) {
        guard status.isRegularFile else {
            throw status.isDevice ? .device(path: path) : .notRegularFile(path: path)
        }
        guard status.owner == geteuid() || (isGiven && status.owner == 0) else {
            throw .foreignFile(path: path, owner: status.owner)
        }
    }
}

struct PrivateDirectory {
    let path: String

    func create() throws(RuntimeError) {
        try TrustedPath.check(leadingTo: path)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .lastError("create directory", path) }
        try check()
    }

    /// Refuses a directory that another user owns, can enter, or can replace, and anything else at its path.
    func check() throws(RuntimeError) {
        try TrustedPath.check(leadingTo: path)
        guard let status = FileStatus(of: path) else { throw .notDirectory(path: path) }
        try OwnFile.check(path, isDirectory: true)
        guard status.permissions & 0o077 == 0 else {
            throw .openToOthers(path: path, mode: status.permissions)
        }
    }
}

/// A small file that only its owner can read.
package struct PrivateFile {
    package static let limitBytes = 64 * 1_024

    private let path: String
    private let isGiven: Bool

    /// The file at a path.
    ///
    /// - Parameter isGiven: Whether the user has named the file, so that it may be one that a system mounts:
    ///   a link may lead to it, it may be root's, and root's group and the process's own may read it. Secrets
    ///   of Kubernetes and credentials of systemd are such files.
    package init(path: String, isGiven: Bool = false) { (self.path, self.isGiven) = (path, isGiven) }

    package func firstLine() throws(RuntimeError) -> String? {
        try read().map(WrittenText.firstLine(of:))
    }

    /// Returns the bytes of the file; nil for a missing file. Throws `fileOpenToOthers` where others may read
    /// or write it.
    package func read(upTo limit: Int = limitBytes) throws(RuntimeError) -> [UInt8]? {
        guard let descriptor = try OwnFile.openIfPresent(path, O_RDONLY, isGiven: isGiven) else { return nil }
        defer { close(descriptor) }
        guard let status = FileStatus(of: descriptor) else { throw .lastError("look at", path) }
        let isOwnGroup = status.group == getegid() || status.group == 0
        let closed: UInt32 = isGiven && isOwnGroup ? 0o037 : 0o077
        guard status.permissions & closed == 0 else {
            throw .fileOpenToOthers(path: path, mode: status.permissions)
        }
        return try OwnFile.content(of: descriptor, at: path, upTo: limit)
    }

    /// Replaces the contents atomically: a reader sees the old bytes or the new bytes.
    package func replace(with content: [UInt8]) throws(RuntimeError) {
        let draft = "\(path).\(getpid()).new"
        guard unlink(draft) == 0 || errno == ENOENT else { throw .lastError("remove", draft) }
        do throws(RuntimeError) {
            try OwnFile.create(draft, with: content)
            guard rename(draft, path) == 0 else { throw .lastError("replace", path) }
        } catch {
            unlink(draft)
            throw error
        }
    }

    /// Creates an empty file; `EEXIST` where there is a file.
    package func claim() throws(RuntimeError) { try OwnFile.create(path, with: []) }

    /// Creates the file with those bytes atomically; an existing file stays unchanged.
    package func create(with content: [UInt8]) throws(RuntimeError) {
        let draft = "\(path).\(getpid()).new"
        guard unlink(draft) == 0 || errno == ENOENT else { throw .lastError("remove", draft) }
        defer { unlink(draft) }
        try OwnFile.create(draft, with: content)
        guard link(draft, path) == 0 || errno == EEXIST else { throw .lastError("create", path) }
    }

    /// Removes the file; does nothing for a missing file.
    package func remove() throws(RuntimeError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .lastError("remove", path) }
    }
}

/// The ID of a process, as the first line of a small file.
enum ProcessIDLine {
    /// The bytes written, the same for each ID: overwriting them needs no new space on a full disk.
    private static let bytes = 12

    /// Writes the calling process's ID over the start of an open file.
    static func write(to descriptor: Int32, path: String) throws(RuntimeError) {
        var line = Array("\(getpid())".utf8)
        line += Array(repeating: UInt8(ascii: "\n"), count: bytes - line.count)
        let written = pwrite(descriptor, line, line.count, 0)
        guard written >= 0 else { throw .lastError("write", path) }
        guard written == line.count else { throw .system(operation: "write", path: path, errno: ENOSPC) }
    }

    /// Reads the ID from an open file; nil when its first line is not a number.
    static func read(from descriptor: Int32) -> Int32? {
        var block = [UInt8](repeating: 0, count: bytes)
        let count = pread(descriptor, &block, block.count, 0)
        let line = block.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
        return Int32(String(decoding: line, as: UTF8.self))
    }
}
