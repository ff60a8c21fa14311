internal import CGuard
internal import CZMQ
internal import Glibc

extension Socket {
    /// Messages dropped in one call, before the caller gets its turn again.
    private static let dropBurst = 512

    /// Receives one whole message if there is one, without waiting.
    ///
    /// A message of more than ``Frames/limit`` frames is dropped and counted, and the next one is received.
    /// The same applies to a message whose connection was closed for exceeding ``SocketOptions/bounds``,
    /// unless it is a subscription. After 512 dropped messages in a row the call returns false although the
    /// socket is still readable.
    ///
    /// - Returns: Whether there was a message. When false, `frames` is empty.
    /// - Throws: `wrongState` for a REQ without a request, `notSupported` for a kind that never receives,
    ///   `socketClosed` or `contextTerminated`.
    public func receive(into frames: inout Frames) throws(BusError) -> Bool {
        let progress = connections?.progress ?? guard_progress()
        for _ in 0..<Self.dropBurst {
            guard try receiveFrame(into: &frames, at: 0, flags: ZMQ_DONTWAIT) else {
                connections?.emptied(since: progress)
                frames.removeAll()
                return false
            }
            if try receiveRest(into: &frames) { return true }
        }
        return false
    }

    /// Receives one whole message, and waits for it for at most ``SocketOptions/receiveTimeout``.
    ///
    /// It blocks the thread: for tools and tests, never on the thread of a ``Loop``. Signals and dropped
    /// messages restart the timeout.
    ///
    /// - Returns: Whether a message came in time. When false, `frames` is empty.
    /// - Throws: As ``receive(into:)``.
    public func receiveWaiting(into frames: inout Frames) throws(BusError) -> Bool {
        repeat {
            guard try receiveFrame(into: &frames, at: 0, flags: 0) else {
                frames.removeAll()
                return false
            }
        } while try !receiveRest(into: &frames)
        return true
    }

    /// Receives one frame without waiting; nil when no message has arrived.
    ///
    /// While ``Message/hasMore`` is true the next call gives the next frame of the same message.
    ///
    /// - Throws: As ``receive(into:)``.
    public func receive() throws(BusError) -> Message? {
        var message = Message()
        let failure = retrying { zmq_msg_recv(&message.storage, handle, ZMQ_DONTWAIT) }
        guard try wasReceived(failure) else { return nil }
        if message.isLast { counters.receivedMessages += 1 }
        return message
    }

    /// Receives the frames after the first, without waiting: libzmq delivers only whole messages. Returns
    /// false when the message was dropped: too many frames, or its connection exceeded a bound.
    @inline(__always)
    private func receiveRest(into frames: inout Frames) throws(BusError) -> Bool {
        var count = 1
        var bytes = kind == .router ? 0 : Self.cost(of: frames.slotForReceiving(0))
        while zmq_msg_more(frames.slotForReceiving(min(count - 1, Frames.limit))) != 0 {
            let index = min(count, Frames.limit)
            guard try receiveFrame(into: &frames, at: index, flags: ZMQ_DONTWAIT) else {
                preconditionFailure("libzmq handed over a part of a message")
            }
            count += 1
            bytes += Self.cost(of: frames.slotForReceiving(index))
        }
        if let connections {
            let last = frames.slotForReceiving(min(count - 1, Frames.limit))
            let isWanted = connections.received(bytes, in: last, from: kind == .router ? frames.sender : nil)
            if isWanted, kind == .xpub {
                connections.countTopic(in: frames.slotForReceiving(0), isAlone: count == 1)
            }
            // An XPUB's receiver gets every subscription, to keep its own table equal to libzmq's.
            guard isWanted || kind == .xpub else {
                frames.discard()
                counters.floodMessages += 1
                return false
            }
        }
        guard count <= Frames.limit else {
            frames.discard()
            counters.oversizeMessages += 1
            return false
        }
        frames.setCount(count)
        counters.receivedMessages += 1
        return true
    }

    @inline(__always)
    private static func cost(of frame: UnsafeMutablePointer<zmq_msg_t>) -> UInt64 {
        ConnectionGuard.cost(ofFrame: zmq_msg_size(frame))
    }

    @inline(__always)
    private func receiveFrame(into frames: inout Frames, at index: Int, flags: Int32) throws(BusError) -> Bool
    {
        let slot = frames.slotForReceiving(index)
        return try wasReceived(retrying { zmq_msg_recv(slot, handle, flags) })
    }

    @inline(__always)
    private func wasReceived(_ failure: Int32) throws(BusError) -> Bool {
        switch failure {
        case 0: return true
        case EAGAIN:
            // libzmq returns EAGAIN only after it has handled all its commands and checked again.
            isDrained = true
            return false
        default: throw self.failure(failure, "receive")
        }
    }

    /// Repeats a libzmq call while signals interrupt it, and returns its error number or 0.
    @inline(__always)
    func retrying(_ call: () -> Int32) -> Int32 {
        while call() < 0 {
            let failure = zmq_errno()
            if failure != EINTR { return failure }
        }
        return 0
    }
}

extension Socket {
    /// Returns the socket's `ZMQ_FD`, which becomes readable when libzmq has commands for the socket to
    /// handle. It is edge-triggered and does not distinguish events: ``events()`` does. It is valid until the
    /// close.
    func readinessDescriptor() throws(BusError) -> Int32 { try read(ZMQ_FD, name: "descriptor") }

    /// Returns the readiness (`ZMQ_EVENTS`) of an open socket after libzmq has handled its commands; nil when
    /// the context was terminated.
    func events() -> Readiness? {
        var events: Int32 = 0
        var size = MemoryLayout<Int32>.size
        let failure = retrying { zmq_getsockopt(handle, ZMQ_EVENTS, &events, &size) }
        guard failure != ETERM else { return nil }
        precondition(failure == 0, "\(BusError(errno: failure, context: "events (\(kind) socket)"))")
        let readiness = Readiness(rawValue: Int16(truncatingIfNeeded: events))
        isDrained = !readiness.contains(.readable)
        return readiness
    }
}
