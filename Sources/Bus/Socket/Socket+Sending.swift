internal import CZMQ
internal import Glibc

/// No call but ``sendWaiting(_:)`` waits, and none allocates on Swift's heap. Each `send` offers
/// one whole message: when it returns `wouldBlock` or `unroutable`, nothing of the message was sent.
extension Socket {
    /// Sends a message of one frame, without waiting.
    ///
    /// - Returns: Whether the socket accepted the message; otherwise nothing of it was sent.
    /// - Throws: `wrongState` for a REQ that awaits its reply, `notSupported` for a kind that never sends,
    ///   `socketClosed` or `contextTerminated`.
    public func send(_ payload: [UInt8]) throws(BusError) -> SendResult {
        try transmit(1) { _, flags in put(payload, flags) }
    }

    /// Sends a topic and a payload, in two frames, for a PUB's or XPUB's subscribers.
    ///
    /// - Parameters:
    ///   - topic: The first frame, whose first bytes subscriptions are compared with.
    ///   - payload: The second frame.
    /// - Throws: As ``send(_:)-([UInt8])``.
    public func send(topic: [UInt8], payload: [UInt8]) throws(BusError) -> SendResult {
        try transmit(2) { index, flags in put(index == 0 ? topic : payload, flags) }
    }

    /// Sends a payload to one peer of a ROUTER, in one frame behind the routing id.
    ///
    /// - Parameters:
    ///   - peer: The peer, as the first frame of its message named it.
    ///   - payload: The frame.
    /// - Returns: ``SendResult/unroutable`` if the peer has disconnected; ``SendResult/wouldBlock`` if the
    ///   messages that it has not read exceed ``ConnectionBounds/unsentBytes``.
    /// - Throws: As ``send(_:)-([UInt8])``.
    public func send(to peer: RoutingID, payload: [UInt8]) throws(BusError) -> SendResult {
        try sendBounded(payload.count, to: peer) { () throws(BusError) in
            try transmit(2) { index, flags in index == 0 ? put(peer, flags) : put(payload, flags) }
        }
    }

    /// Sends a payload to one peer of a ROUTER behind the empty delimiter that a REQ expects.
    ///
    /// - Parameters:
    ///   - peer: The peer, as the first frame of its message named it.
    ///   - payload: The frame after the delimiter.
    /// - Returns: As ``send(to:payload:)``.
    /// - Throws: As ``send(_:)-([UInt8])``.
    public func send(to peer: RoutingID, delimited payload: [UInt8]) throws(BusError) -> SendResult {
        try sendBounded(payload.count, delimited: true, to: peer) { () throws(BusError) in
            try transmit(3) { index, flags in
                switch index {
                case 0: put(peer, flags)
                case 1: putDelimiter(flags)
                default: put(payload, flags)
                }
            }
        }
    }

    /// Sends a payload behind the empty delimiter, as a DEALER that speaks to a server of REQ sockets does.
    ///
    /// - Parameter payload: The frame after the delimiter.
    /// - Throws: As ``send(_:)-([UInt8])``.
    public func send(delimited payload: [UInt8]) throws(BusError) -> SendResult {
        try transmit(2) { index, flags in index == 0 ? putDelimiter(flags) : put(payload, flags) }
    }

    /// Sends a message of one or more frames.
    ///
    /// - Throws: As ``send(_:)-([UInt8])``.
    /// - Precondition: There is at least one frame.
    public func send(_ frames: [[UInt8]]) throws(BusError) -> SendResult {
        try transmit(frames.count) { index, flags in put(frames[index], flags) }
    }

    /// Sends a message of one or more frames, and waits for space for at most ``SocketOptions/sendTimeout``.
    ///
    /// It blocks the thread: for tools and tests, never on the thread of a ``Loop``.
    ///
    /// - Returns: ``SendResult/wouldBlock`` if there was no space in time.
    /// - Throws: As ``send(_:)-([UInt8])``.
    /// - Precondition: There is at least one frame.
    public func sendWaiting(_ frames: [[UInt8]]) throws(BusError) -> SendResult {
        try transmit(frames.count, waiting: true) { index, flags in put(frames[index], flags) }
    }

    /// Sends a message of one frame without copying its bytes.
    ///
    /// Once sent the message is empty; otherwise it is as before. To send one large message to many peers,
    /// send copies of it (``Message/init(copying:)``), which share the bytes.
    ///
    /// - Throws: As ``send(_:)-([UInt8])``.
    public func send(_ message: inout Message) throws(BusError) -> SendResult {
        try transmit(1) { _, flags in put(&message, flags) }
    }

    /// Forwards a received frame to one peer of a ROUTER behind its routing id, without copying it.
    ///
    /// Once sent the frame is empty; otherwise it is as before.
    ///
    /// - Parameters:
    ///   - peer: The receiver.
    ///   - index: The index of the frame in `frames`.
    ///   - frames: The message that has the frame.
    /// - Returns: As ``send(to:payload:)``.
    /// - Throws: As ``send(_:)-([UInt8])``.
    /// - Precondition: `index` is from 0 to less than the count of `frames`.
    public func send(
        to peer: RoutingID, frame index: Int, of frames: inout Frames
    ) throws(BusError) -> SendResult {
        try sendBounded(frames.byteCount(at: index), to: peer) { () throws(BusError) in
            try transmit(2) { part, flags in
                if part == 0 { return put(peer, flags) }
                return frames.withFrame(at: index) { frame in retrying { zmq_msg_send(frame, handle, flags) }
                }
            }
        }
    }

    /// Offers the frames of one message in order; `put` returns the error number of a frame, or 0.
    ///
    /// A refusal of the first frame ends the message, and nothing of it is sent. A later frame is refused
    /// only if its peer has just gone. libzmq then removes the earlier frames, and drops the following ones
    /// up to the last frame of the message. So the rest must still be offered, or libzmq would drop the next
    /// message.
    @inline(__always)
    private func transmit(
        _ count: Int, waiting: Bool = false, _ put: (_ index: Int, _ flags: Int32) -> Int32
    ) throws(BusError) -> SendResult {
        precondition(count > 0, "a message has at least one frame")
        var failure: Int32 = 0
        for index in 0..<count {
            let more = index + 1 < count ? ZMQ_SNDMORE : 0
            let error = put(index, more | (waiting ? 0 : ZMQ_DONTWAIT))
            if error == 0 { continue }
            failure = error
            if index == 0 || error != EAGAIN { break }
        }
        return try result(of: failure)
    }

    @inline(__always)
    private func result(of failure: Int32) throws(BusError) -> SendResult {
        switch failure {
        case 0:
            counters.sentMessages += 1
            return .sent
        case EAGAIN:
            counters.wouldBlockMessages += 1
            return .wouldBlock
        case EHOSTUNREACH:
            counters.unroutableMessages += 1
            return .unroutable
        default: throw self.failure(failure, "send")
        }
    }

    // libzmq copies the bytes within each call, so no pointer outlives its closure.

    private func put(_ frame: [UInt8], _ flags: Int32) -> Int32 {
        frame.withUnsafeBytes { bytes in
            retrying { zmq_send(handle, bytes.baseAddress, bytes.count, flags) }
        }
    }

    private func put(_ message: inout Message, _ flags: Int32) -> Int32 {
        retrying { zmq_msg_send(&message.storage, handle, flags) }
    }

    private func put(_ peer: RoutingID, _ flags: Int32) -> Int32 {
        peer.withBytes { bytes in
            retrying { zmq_send(handle, bytes.baseAddress, bytes.count, flags) }
        }
    }

    private func putDelimiter(_ flags: Int32) -> Int32 { retrying { zmq_send(handle, nil, 0, flags) } }
}

/// Approvals of an XPUB with ``SocketOptions/approvesSubscriptions``.
///
/// An approval concerns the sender of the subscription that was received last. libzmq 4.3.4 gets that wrong
/// in three cases:
///
/// - After a message other than a subscription, and until ``Socket/receive(into:)`` finds the queue empty,
///   an approval may concern the sender of a later message.
/// - If the peer has gone, the approval names freed memory, and publishing under its topic reads that. The
///   ends of the peer's subscriptions are received after its messages. So the peer was connected if the queue
///   is empty and the subscription has not ended.
/// - Another peer may have the same address by then.
///
/// So give each approval a topic of its own, approve nothing after a message other than a subscription, and
/// publish under the topic only after the queue was empty and if the subscription has not ended.
extension Socket {
    /// Lets the sender of the last subscription receive messages whose topic begins with this one.
    ///
    /// - Throws: `invalidArgument` for more than ``prefixLimitBytes`` bytes and on a socket without
    ///   ``SocketOptions/approvesSubscriptions``, `socketClosed` or `contextTerminated`.
    public func approve(topic: [UInt8]) throws(BusError) {
        try checkPrefix(topic, "approve")
        try set(ZMQ_SUBSCRIBE, to: topic, name: "approve")
    }
}

extension Socket {
    /// Sends to one peer of a ROUTER unless it has too many unsent bytes.
    @inline(__always)
    func sendBounded(
        _ bytes: Int, delimited: Bool = false, to peer: RoutingID, _ send: () throws(BusError) -> SendResult
    ) throws(BusError) -> SendResult {
        guard let connections else { return try send() }
        var wireBytes = connections.wireBytes(ofFrame: bytes)
        if delimited { wireBytes += connections.wireBytes(ofFrame: 0) }
        guard connections.beginSending(wireBytes, to: peer) else {
            counters.wouldBlockMessages += 1
            return .wouldBlock
        }
        let result = try send()
        if result != .sent { connections.sendingFailed(wireBytes, to: peer) }
        return result
    }
}
