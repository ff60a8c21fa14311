internal import CZMQ
internal import Glibc

extension Socket {
    /// The descriptor that can be read when libzmq has news for the socket, for as long as it is open.
    ///
    /// It is edge-triggered, and says nothing of what the news is: ``events()`` does.
    ///
    /// - Throws: `socketClosed` or `contextTerminated`.
    func newsDescriptor() throws(BusError) -> Int32 {
        try read(ZMQ_FD, name: "descriptor")
    }

    /// What can be done with the socket now, once libzmq has heard its news; nil when the context was
    /// terminated.
    ///
    /// - Precondition: The socket is open.
    func events() -> Readiness? {
        var events: Int32 = 0
        var size = MemoryLayout<Int32>.size
        let failure = retrying { zmq_getsockopt(handle, ZMQ_EVENTS, &events, &size) }
        guard failure != ETERM else { return nil }
        precondition(failure == 0, "\(BusError(errno: failure, context: "events (\(kind) socket)"))")
        let readiness = Readiness(rawValue: Int16(truncatingIfNeeded: events))
        hasNoNews = !readiness.contains(.readable)
        return readiness
    }
}
