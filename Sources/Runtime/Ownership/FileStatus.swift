import Glibc

/// What the system says of a path.
struct FileStatus {
    private let status: stat

    /// Of the file itself, even when that is a symbolic link; nil when there is none.
    init?(of path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.status = status
    }

    /// Of an open file; nil for a closed descriptor.
    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.status = status
    }

    /// Of what symbolic links lead to; nil when there is nothing.
    init?(following path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.status = status
    }

    var isDirectory: Bool { status.st_mode & S_IFMT == S_IFDIR }

    var isRegularFile: Bool { status.st_mode & S_IFMT == S_IFREG }

    var isSocket: Bool { status.st_mode & S_IFMT == S_IFSOCK }

    var isSymbolicLink: Bool { status.st_mode & S_IFMT == S_IFLNK }

    /// Whether entries of the directory can be renamed and removed by their owners alone.
    var isSticky: Bool { status.st_mode & S_ISVTX != 0 }

    /// Its length, bytes.
    var bytes: Int { status.st_size }

    /// Whether another path or descriptor is of the same file; false for nil.
    func isSameFile(as other: FileStatus?) -> Bool {
        other.map { $0.status.st_dev == status.st_dev && $0.status.st_ino == status.st_ino } ?? false
    }

    /// The user it belongs to.
    var owner: UInt32 { status.st_uid }

    /// The group it belongs to.
    var group: UInt32 { status.st_gid }

    /// Who may do what, in the nine bits of `chmod`.
    var permissions: UInt32 { status.st_mode & 0o777 }
}
