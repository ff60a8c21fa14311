package import Bus
package import ControllerCore
package import FleetProtocol

/// The socket `stream`: opens streams for peers that subscribe to a ticket, and publishes to those. Other
/// subscriptions of peers only select among the messages that they receive.
package struct StreamSocket {
    package enum MessageKind {
        case subscription
        case other
    }

    package let socket: Socket
    /// Whether an approval concerns the sender of the last message: see ``Socket/approve(topic:)``.
    private var isCertain = true
    /// Messages of too many frames that were dropped before the last one.
    private var oversizeMessages: UInt64 = 0

    package init(_ socket: Socket) { self.socket = socket }

    package mutating func receive(
        _ frames: borrowing Frames, for controller: inout Controller, at now: MonotonicTime
    ) throws(BusError) -> MessageKind {
        let message = frames.array(at: 0)
        if socket.counters.oversizeMessages != oversizeMessages {
            (oversizeMessages, isCertain) = (socket.counters.oversizeMessages, false)
        }
        guard frames.count == 1, let first = message.first, first <= 1 else {
            isCertain = false
            return .other
        }
        guard let ticket = Token(Array(message.dropFirst())) else { return .subscription }
        let digest = ticket.digest
        if first == 0 {
            controller.unsubscribe(digest, at: now)
        } else if let topic = controller.subscribe(digest, isCertain: isCertain) {
            try socket.approve(topic: topic.bytes)
        }
        return .subscription
    }

    /// Makes approvals certain again, after everything that was waiting has been received.
    package mutating func endDoubt() { isCertain = true }

    /// Opens the streams of approved peers, after everything that was waiting has been received. Returns the
    /// accounts with a new stream.
    package mutating func settle(in controller: inout Controller) -> [AccountID] {
        endDoubt()
        return controller.settleStreams()
    }
}
