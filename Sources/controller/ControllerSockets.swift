import Bus
import FleetProtocol
import Runtime

/// The four sockets of a controller, bound.
struct ControllerSockets {
    /// Descriptors that a controller needs: its own, and a few connections to each socket.
    static let neededDescriptors = 256
    /// Descriptors that connections leave free: for the store, the journal, messages to users and libzmq.
    private static let ownDescriptors = 192
    /// The most connections to one socket, whatever the limit on descriptors.
    private static let mostConnections = 8_192

    let telemetry: Socket
    let devices: Socket
    let clients: Socket
    let stream: Socket

    /// Makes and binds the sockets.
    ///
    /// - Parameters:
    ///   - directory: The run directory.
    ///   - context: The process's context.
    ///   - connections: Connections to each socket at a time.
    /// - Throws: `RuntimeError` or `BusError` when one cannot be bound.
    init(in directory: RunDirectory, context: Context, connections: Int) throws {
        func bound(
            _ kind: SocketKind, _ socket: FleetSocket, lingering linger: Duration = .zero
        ) throws -> Socket {
            var options = SocketOptions.ofController(socket, kind, connections: connections)
            options.linger = linger
            let made = try Socket(kind, context: context, options: options)
            try made.bind(try directory.endpoint(socket))
            return made
        }
        telemetry = try bound(.sub, .telemetry)
        try telemetry.subscribe(prefix: Topic.telemetry)
        devices = try bound(.router, .devices)
        clients = try bound(.router, .clients, lingering: .milliseconds(500))
        stream = try bound(.xpub, .stream)
    }

    /// Connections to each socket that a limit on descriptors leaves room for.
    ///
    /// Those that were displaced keep their descriptors for a moment, up to a quarter of them. So do those
    /// that have gone, up to an eighth, until what they sent was read.
    static func connections(within descriptors: Int) -> Int {
        let each = (descriptors - ownDescriptors) / 4
        return min(mostConnections, max(1, each * 8 / 11 - 1))
    }
}
