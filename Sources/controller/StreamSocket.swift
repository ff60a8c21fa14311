import Bus
import ControllerCore
import FleetProtocol
import Stepping

/// The socket `stream`: opens streams for peers that subscribe to a ticket, and publishes to those.
///
/// Other subscriptions of peers only select among the messages that they receive.
struct StreamSocket {
    /// The kinds of message that a peer sends.
    enum Heard {
        /// The beginning or the end of a subscription.
        case subscription
        /// Anything else.
        case other
    }

    let socket: Socket
    /// Whether an approval concerns the sender of the last message: see ``Socket/approve(topic:)``.
    private var isCertain = true
    /// Messages of too many frames that were dropped before the last one.
    private var oversizeMessages: UInt64 = 0

    /// Publishes on a socket that approves subscriptions.
    init(_ socket: Socket) {
        self.socket = socket
    }

    /// Takes a message of a peer.
    mutating func hear(
        _ frames: borrowing Frames, for controller: inout Controller, at now: MonotonicTime
    ) throws(BusError) -> Heard {
        let message = frames.array(at: 0)
        if socket.counters.oversizeMessages != oversizeMessages {
            (oversizeMessages, isCertain) = (socket.counters.oversizeMessages, false)
        }
        guard frames.count == 1, let first = message.first, first <= 1 else {
            isCertain = false
            return .other
        }
        guard let ticket = Token(Array(message.dropFirst())) else { return .subscription }
        let digest = PasswordHasher.digest(of: ticket)
        if first == 0 {
            controller.unsubscribe(digest, at: now)
        } else if let topic = controller.subscribe(digest, isCertain: isCertain) {
            try socket.approve(topic: topic.bytes)
        }
        return .subscription
    }

    /// Opens the streams of approved peers, after everything that was waiting has been received.
    ///
    /// - Returns: The accounts with a new stream.
    mutating func settle(in controller: inout Controller) -> [AccountID] {
        isCertain = true
        return controller.settleStreams()
    }

    /// Publishes an update under each of these topics.
    func publish(_ update: StreamUpdate, to topics: [StreamTopic]) throws(BusError) {
        guard !topics.isEmpty else { return }
        let bytes = update.wireBytes
        for topic in topics { _ = try socket.send(topic: topic.bytes, payload: bytes) }
    }
}
