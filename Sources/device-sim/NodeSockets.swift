import Bus
import DeviceCore
import FleetProtocol
import Logging
import ProcessSupport
import UserFiles

struct NodeSockets {
    let devices: ClientSocket
    let telemetry: ClientSocket

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

    /// Connects both, and observes the connection of `devices`.
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

/// The cells to which the account of a node may be moved, and how the node connects there.
struct NodeCells {
    private var connections: CellConnections
    private let configuration: NodeConfiguration
    private let logger: Logger

    init(_ connections: CellConnections, _ configuration: NodeConfiguration, _ logger: Logger) {
        (self.connections, self.configuration, self.logger) = (connections, configuration, logger)
    }

    /// The connection to a cell, and the permission to host the devices there; nil, with a line in the log,
    /// if the cell is not in the list or a file cannot be read. The secret of a fleet on this machine permits
    /// it; a fleet on the network admits the key of this machine.
    mutating func place(of cell: CellName) -> (FleetConnection, NodeGrant?)? {
        do throws(RuntimeError) {
            try connections.reload()
            let connection = try connections.connection(to: cell)
            guard case .directory(let path)? = connections.list[cell]?.location else {
                return (connection, configuration.grant)
            }
            let secret = try RunDirectory(path: path).nodeSecret()
            let grant = secret.grant(configuration.range, to: configuration.name, of: configuration.account)
            return (connection, grant)
        } catch {
            logger.error("cell \(cell) cannot be reached", metadata: ["reason": "\(error)"])
            return nil
        }
    }
}

extension ScenarioChoice {
    /// Reads a scenario by name or file; returns nil and logs the reason if that fails.
    static func read(_ name: String, _ logger: Logger) -> Scenario? {
        do {
            let scenario = try ScenarioChoice(name).scenario
            logger.info("scenario changed", metadata: ["scenario": "\(scenario.name)"])
            return scenario
        } catch {
            logger.error("scenario cannot be read", metadata: ["reason": "\(error)"])
            return nil
        }
    }
}
