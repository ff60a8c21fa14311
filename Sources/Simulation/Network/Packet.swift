import ControllerCore
import FleetProtocol
import FleetReplica

/// A message in transit.
indirect enum Packet {
    /// From a node process to a controller process.
    case fromNode(Int, controller: Int, ConnectionID, NodeMessage)
    case telemetry(Int, controller: Int, Telemetry)
    case toNode(Int, ConnectionID, ControllerMessage)
    /// From the connection of a client or an observer; the digest is that of its token.
    case request(controller: Int, ConnectionID, TokenDigest?, ClientRequest)
    /// To an observer, in reply to a pull.
    case chunk(Int, SnapshotChunk, Replica.Pull)
    /// To an observer, from the stream of a controller process.
    case update(Int, controller: Int, StreamUpdate)
}
