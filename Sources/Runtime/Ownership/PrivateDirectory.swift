import Glibc

/// A directory that its owner alone may enter.
struct PrivateDirectory {
    let path: String

    /// Makes it, unless it is there, and checks it.
    func create() throws(RuntimeError) {
        try TrustedPath.check(leadingTo: path)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .lastError("create directory", path) }
        try check()
    }

    /// Refuses a directory that another user owns, can enter, or can replace, and whatever else has its path.
    func check() throws(RuntimeError) {
        try TrustedPath.check(leadingTo: path)
        guard let status = FileStatus(of: path) else { throw .notDirectory(path: path) }
        guard !status.isSymbolicLink else { throw .symbolicLink(path: path) }
        guard status.isDirectory else { throw .notDirectory(path: path) }
        guard status.owner == geteuid() else { throw .foreignDirectory(path: path, owner: status.owner) }
        guard status.permissions & 0o077 == 0 else {
            throw .openToOthers(path: path, mode: status.permissions)
        }
    }
}
