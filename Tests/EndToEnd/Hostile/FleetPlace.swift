import ProcessSupport
import Testing

/// Where a test's own programs reach the sockets of a fleet: in its run directory, or over the network.
struct FleetPlace: Sendable {
    /// The connection of each role.
    private let client: FleetConnection
    private let node: FleetConnection
    /// The sockets that can be attacked.
    let sockets: [FleetSocket]

    /// The sockets in a run directory, or on the network that its machine has joined.
    init(_ directory: RunDirectory) throws {
        let connection = try FleetConnection(directory)
        self.init(client: connection, node: connection)
    }

    /// The sockets on the network: over it a key has the rights of one role.
    init(client: FleetConnection, node: FleetConnection) {
        (self.client, self.node) = (client, node)
        sockets = FleetSocket.allCases.filter { $0 != (client.membership == nil ? .join : .supervisor) }
    }

    /// The connection to a socket.
    subscript(_ socket: FleetSocket) -> FleetConnection {
        [.devices, .telemetry].contains(socket) ? node : client
    }
}
