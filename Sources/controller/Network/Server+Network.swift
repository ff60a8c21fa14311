import Bus
import ControllerCore
import ControllerSupport
import FleetProtocol
import Logging
import ProcessSupport

/// Messages from the network: each is refused unless its sender's key permits the socket.
extension Server {
    func registerNetwork() {
        guard let network else { return }
        let sockets = network.sockets
        loop.register(sockets.clients) { [self] in drain(sockets.clients, handleNetworkClient) }
        loop.register(sockets.devices) { [self] in drain(sockets.devices, handleNetworkNode) }
        loop.register(sockets.telemetry) { [self] in drain(sockets.telemetry, handleNetworkTelemetry) }
        loop.register(sockets.stream) { [self] in
            isStreamDrained.network = drain(sockets.stream, handleNetworkSubscriber)
            settleStreams()
        }
        loop.register(network.join) { [self] in drain(network.join, handleJoin) }
        logger.info("listening", metadata: ["address": "\(network.address)"])
    }

    /// Opens the streams of approved peers, once neither socket has unread subscriptions.
    func settleStreams() {
        guard isStreamDrained == (true, true) else { return }
        network?.stream.endDoubt()
        for account in stream.settle(in: &controller) { step(.subscribed(account), at: clock.now()) }
    }

    private func sender(of frames: borrowing Frames, to socket: FleetSocket) -> Peer? {
        let sender = network?.sender(of: frames, to: socket)
        if sender == nil {
            refused.count(.peer, because: "a key without the right to use \(socket.rawValue)")
        }
        return sender
    }

    private func handleNetworkClient(_ frames: borrowing Frames, at now: Moment) {
        guard let sender = sender(of: frames, to: .clients) else { return }
        handleClient(frames, from: sender, at: now)
    }

    private func handleNetworkNode(_ frames: borrowing Frames, at now: Moment) {
        guard let sender = sender(of: frames, to: .devices) else { return }
        handleNode(frames, from: sender, at: now)
    }

    private func handleNetworkTelemetry(_ frames: borrowing Frames, at now: Moment) {
        guard let sender = sender(of: frames, to: .telemetry) else { return }
        handleTelemetry(frames, from: sender, at: now)
    }

    /// Handles a subscription. Its end needs no key: libzmq reports it also for a connection that is lost.
    private func handleNetworkSubscriber(_ frames: borrowing Frames, at now: Moment) {
        let isEnd =
            frames.count == 1
            && frames.withBytes(at: 0) { $0.byteCount > 0 && $0.unsafeLoad(as: UInt8.self) == 0 }
        guard let network, isEnd || sender(of: frames, to: .stream) != nil else { return }
        handleSubscriber(frames, of: &network.stream, at: now)
    }

    private func handleJoin(_ frames: borrowing Frames, at now: Moment) {
        guard let network, let (peer, reply) = network.reply(toJoin: frames, at: now.wall) else {
            return refused.count(.frames)
        }
        do throws(BusError) {
            _ = try network.join.send(to: peer, delimited: reply.wireBytes)
        } catch {
            stop(because: error)
        }
    }
}

extension Peer {
    /// Why a request of this peer is refused before anything else; nil if its key permits it.
    func refusal(
        of request: ClientRequest, digest: TokenDigest?, in controller: borrowing Controller
    ) -> Refusal? {
        if let account {
            switch request.body {
            case .login(let email, _, _):
                // Users of other cells are led there. All users are treated alike, so that the reply does not
                // tell who has an account here; this key cannot use a session of another account.
                guard controller.isCell || controller.account(of: email) == account else {
                    return .unauthenticated
                }
            case .selfService(.availability): break
            case .selfService: return .notAllowed("the key of this machine is limited to account \(account)")
            default:
                guard let digest, controller.account(of: digest) == account else { return .unauthenticated }
            }
        }
        guard role == .observer else { return nil }
        switch request.body {
        case .login, .logout, .streamTicket: return nil
        default:
            if Controller.isReadOnly(request.body) { return nil }
            return .notAllowed("the key of this machine is an observer's, which changes nothing")
        }
    }
}
