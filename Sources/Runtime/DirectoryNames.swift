import CFiles
import Glibc

/// Changes of the names in directories.
public enum DirectoryNames {
    /// Gives a file or directory another name.
    ///
    /// - Throws: `system`, with `ENOTEMPTY` or `EEXIST` where a directory with files has the name.
    public static func rename(_ path: String, to other: String) throws(RuntimeError) {
        guard Glibc.rename(path, other) == 0 else { throw .lastError("rename to \(other)", path) }
    }

    /// Gives two directories each other's name, at once.
    ///
    /// - Returns: False where the file system cannot do that; then nothing has changed.
    /// - Throws: `system` where it fails in any other way.
    public static func exchange(_ path: String, with other: String) throws(RuntimeError) -> Bool {
        if files_exchange(path, other) == 0 { return true }
        guard [EINVAL, ENOSYS, ENOTSUP].contains(errno) else {
            throw .lastError("exchange with \(other)", path)
        }
        return false
    }

    /// Returns once the names in a directory are on the disk.
    ///
    /// - Throws: `system` with the call that failed.
    public static func sync(_ directory: String) throws(RuntimeError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .lastError("open", directory) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .lastError("sync", directory) }
    }

    /// Returns once the name of a file or directory is on the disk.
    ///
    /// - Throws: `system` with the call that failed.
    public static func sync(nameOf path: String) throws(RuntimeError) {
        let directory = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        try sync(directory.isEmpty ? "/" : String(directory))
    }
}
