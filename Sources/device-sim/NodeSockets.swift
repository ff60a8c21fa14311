import Bus
import ProcessSupport

/// The two sockets of a node.
struct NodeSockets {
    let devices: Socket
    let telemetry: Socket

    /// Makes the sockets, which are not connected yet.
    init(of connection: FleetConnection, context: Context) throws(BusError) {
        var options = SocketOptions.defaults(for: .dealer)
        // Long enough to send the goodbye.
        options.linger = .milliseconds(500)
        options.sendHighWaterMark = 100_000
        options.secure(connection.security)
        devices = try Socket(.dealer, context: context, options: options)
        options = .defaults(for: .pub)
        options.secure(connection.security)
        telemetry = try Socket(.pub, context: context, options: options)
    }

    /// Connects both.
    ///
    /// - Parameter saw: Called with each event of a connection, and whether it is that of `devices`.
    func connect(
        over connection: FleetConnection, on loop: Loop, saw: @escaping (Bool, ConnectionEvent) -> Void
    ) throws {
        try devices.monitor(.handshakes).onEvent(on: loop) { event, _ in saw(true, event) }
        try telemetry.monitor(.handshakes).onEvent(on: loop) { event, _ in saw(false, event) }
        try devices.connect(try connection.endpoint(.devices))
        try telemetry.connect(try connection.endpoint(.telemetry))
    }

    func close() {
        devices.close()
        telemetry.close()
    }
}
