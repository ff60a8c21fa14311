internal import Glibc

/// A reference to a socket whose last release closes the socket on its loop's thread.
///
/// It replaces an `isolated deinit` of the actor that holds it: Swift 6.3 refuses to compile optimized
/// code that makes such an actor in another module ("circular reference").
///
/// `@unchecked Sendable`: the socket is used on its loop's thread only, by the actor that is pinned there and
/// by the closure that the last release enqueues.
final class SocketLease: @unchecked Sendable {
    let socket: Socket

    private let loop: Loop

    init(_ socket: Socket, of loop: Loop) { (self.socket, self.loop) = (socket, loop) }

    deinit {
        // An ended loop has closed its registered sockets; others are closed by their last release.
        guard !loop.hasEnded else { return }
        // The closure takes over the socket: no code uses it after the last release of the lease.
        nonisolated(unsafe) let socket = socket
        loop.perform { socket.close() }
    }
}

/// A libzmq pointer that moves into or out of a lock. `@unchecked Sendable`: a context is thread-safe, and
/// only the thread that takes it out of its lock frees it; a socket moves once, from the lock under which it
/// was made to the thread that owns it.
struct Handle: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer
}

struct BoundFile {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Reads the identity of the file at a path; nil without a file.
    init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    func remove() {
        guard let current = BoundFile(path: path) else { return }
        guard current.device == device, current.inode == inode else { return }
        // The next bind replaces a file that cannot be removed.
        _ = unlink(path)
    }
}
