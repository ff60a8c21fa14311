import Bus
import FleetProtocol
import ProcessSupport

/// Connects once to each socket of the network with a key that no list has, and expects to be denied.
///
/// libzmq admits everyone if its authenticator is missing or set up wrongly, and no call reports that.
final class StrangerProbe {
    /// Why the controller may not serve the network.
    struct Failure: Error, CustomStringConvertible {
        let socket: FleetSocket
        let wasAdmitted: Bool

        var description: String {
            wasAdmitted
                ? "a peer without a key was admitted to the socket \(socket.rawValue): not listening"
                : "it could not be checked that peers without a key are denied at \(socket.rawValue)"
        }
    }

    private static let limit = Duration.seconds(10)

    private let loop: Loop
    private let ended: (Result<Void, Failure>) -> Void
    private var sockets: [FleetSocket: Socket] = [:]
    private var timer: TimerID?

    init(
        of address: NetworkAddress, serverKey: CurvePublicKey, on loop: Loop,
        _ ended: @escaping (Result<Void, Failure>) -> Void
    ) throws {
        (self.loop, self.ended) = (loop, ended)
        for (socket, kind) in [
            (FleetSocket.clients, SocketKind.dealer), (.devices, .dealer), (.stream, .sub),
            (.telemetry, .pub),
        ] {
            var options = SocketOptions.defaults(for: kind)
            options.secure(.client(server: serverKey, keys: try .generate()))
            let stranger = try Socket(kind, context: loop.context, options: options)
            try stranger.monitor(.handshakes).onEvent(on: loop) { [self] event, _ in
                saw(event, at: socket)
            }
            try stranger.connect(try address.endpoint(of: socket))
            // The loop handles libzmq's commands for a socket while it polls it.
            loop.register(stranger) {}
            sockets[socket] = stranger
        }
        timer = loop.schedule(after: Self.limit) { [self] in
            if let socket = sockets.keys.first { end(.failure(Failure(socket: socket, wasAdmitted: false))) }
        }
    }

    private func saw(_ event: ConnectionEvent, at socket: FleetSocket) {
        switch event {
        case .handshakeFailed(.denied(status: 400)):
            sockets.removeValue(forKey: socket).map(close)
            if sockets.isEmpty { end(.success(())) }
        case .handshakeSucceeded: end(.failure(Failure(socket: socket, wasAdmitted: true)))
        default: break
        }
    }

    private func end(_ result: Result<Void, Failure>) {
        guard let timer else { return }
        loop.cancel(timer)
        self.timer = nil
        sockets.values.forEach(close)
        sockets = [:]
        ended(result)
    }

    /// Closes a socket after the event that it reported, which its monitor is still handing over.
    private func close(_ socket: Socket) {
        loop.unregister(socket)
        _ = loop.schedule(after: .zero) { socket.close() }
    }
}
