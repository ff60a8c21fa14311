import Bus
import FleetProtocol
import Logging
import ProcessSupport

struct NodeSockets {
    let devices: ClientSocket
    let telemetry: ClientSocket

    /// Makes the sockets, which are not connected yet.
    init(of connection: FleetConnection, on loop: Loop) throws {
        var options = SocketOptions.defaults(for: .dealer)
        // Long enough to send the goodbye.
        options.linger = .milliseconds(500)
        options.sendHighWaterMark = 100_000
        options.secure(connection.security)
        devices = try ClientSocket(.dealer, to: connection.endpoint(.devices), options: options, on: loop)
        options = .defaults(for: .pub)
        options.secure(connection.security)
        telemetry = try ClientSocket(.pub, to: connection.endpoint(.telemetry), options: options, on: loop)
    }

    /// Connects both.
    ///
    /// - Parameter observe: Called with each event of the connection of `devices`.
    func connect(observe: @escaping (ConnectionEvent) -> Void) throws(BusError) {
        try devices.connect(prepare: { _ in }, observe: observe)
        try telemetry.connect(prepare: { _ in }, observe: { _ in })
    }

    func close() {
        devices.close()
        telemetry.close()
    }
}

/// The process of the node that the controller prefers to this one, as the log has named it.
struct RefusalLog {
    private var preferred: NodeRun?

    /// Logs that the controller refuses this process, once for each process that it prefers.
    mutating func report(_ run: NodeRun, to logger: Logger) {
        guard run != preferred else { return }
        preferred = run
        logger.error(
            """
            the controller refuses this process: another one of the node was there first, on \(run). This one \
            serves when that one ends. Stop one of them, and give each machine a node and a key of its own.
            """)
    }
}
