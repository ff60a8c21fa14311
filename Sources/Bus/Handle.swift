/// A pointer of libzmq's on its way in or out of a lock.
///
/// `@unchecked Sendable`: a context may be used from any thread, and is freed only by whoever took it out of
/// its lock; a socket is handed over once, by the lock under which it was made, to the thread it belongs to.
struct Handle: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer
}
