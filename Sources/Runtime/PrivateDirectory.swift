import Glibc

/// A directory that its owner alone may enter.
struct PrivateDirectory {
    let path: String

    /// Makes it, unless it is there, and checks it.
    func create() throws(RuntimeError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .lastError("create directory", path) }
        try check()
    }

    /// Refuses what is no directory, another user's, or open to others.
    func check() throws(RuntimeError) {
        guard let status = FileStatus(of: path), status.isDirectory else { throw .notDirectory(path: path) }
        guard status.owner == geteuid() else { throw .foreignDirectory(path: path, owner: status.owner) }
        guard status.permissions & 0o077 == 0 else {
            throw .openToOthers(path: path, mode: status.permissions)
        }
    }
}
