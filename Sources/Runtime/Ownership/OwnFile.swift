import Glibc

/// Opens files of the process's user, and refuses those that another user put in their place.
package enum OwnFile {
    /// Opens a regular file that belongs to the process's user, or makes one.
    ///
    /// A symbolic link in its place is not followed. The caller closes the descriptor.
    ///
    /// - Parameters:
    ///   - path: Where it is; the directories on the way to it are not checked.
    ///   - flags: Those of `open`, such as `O_RDONLY`; `O_CLOEXEC` and `O_NOFOLLOW` are added.
    /// - Returns: The descriptor; a file that is made has mode 0600.
    /// - Throws: `symbolicLink`, `notRegularFile`, `foreignFile`, or `system` where it cannot be opened.
    package static func open(_ path: String, _ flags: Int32) throws(RuntimeError) -> Int32 {
        guard let descriptor = try openIfPresent(path, flags) else {
            throw .system(operation: "open", path: path, errno: ENOENT)
        }
        return descriptor
    }

    /// As ``open(_:_:)``, and nil for a missing file.
    package static func openIfPresent(_ path: String, _ flags: Int32) throws(RuntimeError) -> Int32? {
        // Without O_NONBLOCK a named pipe in its place would hold the process up.
        let descriptor = Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw errno == ELOOP ? .symbolicLink(path: path) : .lastError("open", path)
        }
        do throws(RuntimeError) {
            try check(descriptor, path)
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func check(_ descriptor: Int32, _ path: String) throws(RuntimeError) {
        guard let status = FileStatus(of: descriptor) else { throw .lastError("look at", path) }
        guard status.isRegularFile else { throw .notRegularFile(path: path) }
        guard status.owner == geteuid() else { throw .foreignFile(path: path, owner: status.owner) }
    }
}
