import Glibc

/// The status of a file (stat(2)).
package struct FileStatus {
    private let status: stat

    private init?(_ read: (inout stat) -> Int32) {
        var status = stat()
        guard read(&status) == 0 else { return nil }
        self.status = status
    }

    /// Reads the status of the file at a path without following a symbolic link; nil for a missing file.
    package init?(of path: String) { self.init { lstat(path, &$0) } }

    package init?(of descriptor: Int32) { self.init { fstat(descriptor, &$0) } }

    /// Reads the status of a path's target, following symbolic links; nil for a missing file.
    package init?(following path: String) { self.init { stat(path, &$0) } }

    package var isDirectory: Bool { status.st_mode & S_IFMT == S_IFDIR }

    package var isRegularFile: Bool { status.st_mode & S_IFMT == S_IFREG }
    package var isDevice: Bool { [S_IFCHR, S_IFBLK].contains(status.st_mode & S_IFMT) }

    package var isSocket: Bool { status.st_mode & S_IFMT == S_IFSOCK }

    package var isSymbolicLink: Bool { status.st_mode & S_IFMT == S_IFLNK }

    /// Whether only their owners can rename and remove the entries of the directory.
    package var isSticky: Bool { status.st_mode & S_ISVTX != 0 }
    package var bytes: Int { status.st_size }

    /// Whether both are the status of the same file, by device and inode; false for nil.
    package func isSameFile(as other: FileStatus?) -> Bool {
        other.map { $0.status.st_dev == status.st_dev && $0.status.st_ino == status.st_ino } ?? false
    }

    package var owner: UInt32 { status.st_uid }
    package var group: UInt32 { status.st_gid }

    /// When the content was changed last, in seconds since 1970.
    package var changedAt: Int { status.st_mtim.tv_sec }

    package var device: UInt64 { UInt64(status.st_dev) }

    package var inode: UInt64 { UInt64(status.st_ino) }

    /// The nine permission bits of `chmod`.
    package var permissions: UInt32 { status.st_mode & 0o777 }
}
