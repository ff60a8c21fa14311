internal import CZMQ
internal import Glibc

/// Decides which peers may connect to the CURVE servers of its context, as ZAP's handler
/// (rfc.zeromq.org/spec/27).
///
/// Make it before the servers bind. It belongs to the thread of its loop, which must run for a peer to be
/// admitted. A peer that it denies receives the status 400, and connects again only with a new socket.
public final class Authenticator {
    /// A peer that has proved that it has a key.
    public struct Peer: Hashable, Sendable {
        /// The domain of the server to which it connects.
        public let domain: String
        /// Its IP address, as text; over ipc the text `localhost:UID:GID:PID`.
        public let address: String
        /// Its public key.
        public let key: CurvePublicKey
    }

    /// The requests handled in one turn, so that strangers do not keep the rest of the loop waiting.
    private static let requestsPerTurn = 32

    private let socket: Socket
    private let loop: Loop
    private let admits: (Peer) -> Bool
    private var frames = Frames()
    /// The number of peers that were denied.
    public private(set) var denied: UInt64 = 0

    /// Binds ZAP's endpoint, and answers libzmq's requests on the loop's thread.
    ///
    /// - Parameters:
    ///   - loop: The loop, whose thread makes the authenticator.
    ///   - admits: Returns whether a peer may connect.
    /// - Throws: `addressInUse` if the context has an authenticator; otherwise as `Socket.init`.
    public init(on loop: Loop, admits: @escaping (Peer) -> Bool) throws(BusError) {
        (self.loop, self.admits) = (loop, admits)
        var options = SocketOptions.defaults(for: .rep)
        (options.sendHighWaterMark, options.heartbeat) = (0, nil)
        socket = try Socket(.rep, context: loop.context, options: options)
        try socket.bind(.inproc("zeromq.zap.01"))
        loop.register(socket) { [unowned self] in drain() }
    }

    deinit { close() }

    /// Ends the authenticator: later peers are denied.
    ///
    /// A second call does nothing.
    public func close() {
        guard !socket.isClosed else { return }
        if !loop.hasEnded { loop.unregister(socket) }
        socket.close()
    }

    private func drain() {
        do throws(BusError) {
            for _ in 0..<Self.requestsPerTurn {
                guard try socket.receive(into: &frames) else { return }
                _ = try socket.send(reply())
            }
        } catch {
            // The context was terminated: no peer asks any more.
            close()
        }
    }

    /// The reply to the request in ``frames``: version, request, status, reason, user and metadata.
    private func reply() -> [[UInt8]] {
        guard frames.count == 7, frames[0] == Array("1.0".utf8) else {
            return Self.reply(to: frames.count > 1 ? frames[1] : [], status: "500", user: "")
        }
        guard frames[5] == Array("CURVE".utf8), let key = CurvePublicKey(frames[6]) else { return deny() }
        let (domain, address) = (frames[2], frames[3])
        let peer = Peer(
            domain: String(decoding: domain, as: UTF8.self),
            address: String(decoding: address, as: UTF8.self), key: key)
        return admits(peer) ? Self.reply(to: frames[1], status: "200", user: key.description) : deny()
    }

    private func deny() -> [[UInt8]] {
        denied += 1
        return Self.reply(to: frames[1], status: "400", user: "")
    }

    private static func reply(to request: [UInt8], status: String, user: String) -> [[UInt8]] {
        [Array("1.0".utf8), request, Array(status.utf8), [], Array(user.utf8), []]
    }
}

extension Frames {
    /// The key with which the sender of the message has authenticated itself; nil if its connection has none.
    ///
    /// libzmq 4.3.4 knows it only for the frames that the peer sent: a ROUTER's first frame has none.
    public var senderKey: CurvePublicKey? {
        // Speed: see performance.md, "usual values".
        property("User-Id") {
            CurvePublicKey(hexadecimalDigits: UnsafeRawBufferPointer(start: $0, count: strlen($0)))
        }
    }

    /// The address of the sender of the message: its IP address over tcp, nil over inproc.
    ///
    /// Over ipc libzmq 4.3.4 gives `localhost:UID:GID:PID`.
    public var senderAddress: String? { property("Peer-Address") { String(cString: $0) } }

    /// A property of the last frame's connection, read from libzmq's text: it lives as long as the frame.
    private func property<Value>(_ name: String, _ read: (UnsafePointer<CChar>) -> Value?) -> Value? {
        guard count > 0 else { return nil }
        return zmq_msg_gets(message(at: count - 1), name).flatMap(read)
    }
}
