internal import Glibc

/// A socket that is closed on its loop's thread once nobody has the lease any more.
///
/// It stands in for an `isolated deinit` of the actor that holds it: Swift 6.3 refuses to compile optimized
/// code that makes such an actor in another module ("circular reference").
///
/// `@unchecked Sendable`: the socket is used on its loop's thread only, by the actor that is pinned there and
/// by what the last release leaves for that thread.
final class SocketLease: @unchecked Sendable {
    /// The socket, for its loop's thread.
    let socket: Socket

    private let loop: Loop

    /// Keeps an open socket of a loop.
    init(_ socket: Socket, of loop: Loop) {
        self.socket = socket
        self.loop = loop
    }

    deinit {
        // A loop that has ended has closed it, or leaves it to its own last release.
        guard !loop.hasEnded else { return }
        // Handed over whole: whoever let go of the lease does not touch the socket again.
        nonisolated(unsafe) let socket = socket
        loop.perform { socket.close() }
    }
}

/// A pointer of libzmq's on its way in or out of a lock.
///
/// `@unchecked Sendable`: a context may be used from any thread, and is freed only by whoever took it out of
/// its lock; a socket is handed over once, by the lock under which it was made, to the thread it belongs to.
struct Handle: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer
}

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
