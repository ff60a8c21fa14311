internal import Glibc

/// The file of a bound ipc endpoint, known by its inode so that nobody else's is removed.
struct BoundFile {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    /// The file that is at a path now; nil when there is none.
    init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    /// Removes the file, unless another bind has put its own in its place.
    func remove() {
        guard let current = BoundFile(path: path) else { return }
        guard current.device == device, current.inode == inode else { return }
        // A file that cannot be removed is left for the next bind, which takes its place.
        _ = unlink(path)
    }
}
