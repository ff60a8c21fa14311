import DeviceCore
import FleetProtocol
import Logging
import ProcessSupport

/// The cells to which the account of a node may be moved, and how the node connects there.
struct NodeCells {
    private var connections: CellConnections
    private let configuration: NodeConfiguration
    private let logger: Logger

    /// The cells of an installation, for a node of that configuration.
    init(_ connections: CellConnections, _ configuration: NodeConfiguration, _ logger: Logger) {
        (self.connections, self.configuration, self.logger) = (connections, configuration, logger)
    }

    /// The connection to a cell, and the permission to host the devices there; nil, with a line in the log,
    /// if the cell is not in the list or a file cannot be read.
    ///
    /// The secret of a fleet on this machine permits it; a fleet on the network admits the key of this
    /// machine.
    mutating func place(of cell: CellName) -> (FleetConnection, NodeGrant?)? {
        do throws(RuntimeError) {
            try connections.reload()
            let connection = try connections.connection(to: cell)
            guard case .directory(let path)? = connections.list[cell]?.location else {
                return (connection, configuration.grant)
            }
            let secret = try RunDirectory(path: path).nodeSecret()
            let grant = secret.grant(
                configuration.range, to: configuration.name, of: configuration.account)
            return (connection, grant)
        } catch {
            logger.error("cell \(cell) cannot be reached", metadata: ["reason": "\(error)"])
            return nil
        }
    }
}
