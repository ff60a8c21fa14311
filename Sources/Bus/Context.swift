internal import CZMQ
internal import Glibc
internal import Synchronization

/// The sockets of a process and the threads that move their bytes.
///
/// Create one context per process: `inproc://` endpoints connect only within a context, and libzmq 4.3.4
/// with two encrypting contexts may crash at exit. Create it first and terminate it last. A process with a
/// context must not `fork`: in the child every call fails. Spawn a new program instead.
public final class Context: Sendable {
    /// The libzmq context; nil once terminated. The lock keeps a socket from being made in a context that
    /// `terminate()` is about to free.
    private let handle: Mutex<Handle?>

    /// The number of threads that move bytes.
    let ioThreads: Int

    /// Makes a context.
    ///
    /// - Parameters:
    ///   - ioThreads: Threads that move bytes, at least 1. One carries about a million messages a second.
    ///   - maxSockets: The maximum number of open sockets, at least 1. A connection is not a socket.
    /// - Throws: `invalidArgument` when a count is below 1 or above what the system allows;
    ///   `tooManySockets` when the process has no descriptor left.
    public init(ioThreads: Int = 1, maxSockets: Int = 1_024) throws(BusError) {
        guard let pointer = zmq_ctx_new() else { throw .last("create a context") }
        handle = Mutex(Handle(pointer: pointer))
        self.ioThreads = ioThreads
        try set(ZMQ_IO_THREADS, to: ioThreads, name: "ioThreads")
        try set(ZMQ_MAX_SOCKETS, to: maxSockets, name: "maxSockets")
    }

    deinit { terminate() }

    /// Ends the context: waits until each of its sockets is closed and has sent what its linger allows.
    ///
    /// During the wait, calls on its sockets fail with `contextTerminated`, and a ``Loop`` that polls any of
    /// them ends, so that their threads close them. Never call it on a thread that has an open socket: it
    /// would wait without end. A second call does nothing and does not wait for the first.
    public func terminate() {
        let closing = handle.withLock { $0.take() }
        guard let closing else { return }
        while zmq_ctx_term(closing.pointer) != 0, zmq_errno() == EINTR {}
    }

    func makeSocket(_ kind: SocketKind) throws(BusError) -> UnsafeMutableRawPointer {
        let operation = "create a \(kind) socket"
        let made = handle.withLock { handle -> Result<Handle, BusError> in
            guard let handle else { return .failure(BusError(errno: ETERM, context: operation)) }
            let socket = zmq_socket(handle.pointer, kind.number)
            return socket.map { .success(Handle(pointer: $0)) } ?? .failure(.last(operation))
        }
        return try made.get().pointer
    }

    /// Sets an option of a context that no other code uses yet.
    private func set(_ option: Int32, to value: Int, name: String) throws(BusError) {
        let isSet = handle.withLock { handle in
            value > 0 && zmq_ctx_set(handle?.pointer, option, Int32(clamping: value)) == 0
        }
        if !isSet { throw BusError(errno: EINVAL, context: "set \(name) of a context to \(value)") }
    }
}
