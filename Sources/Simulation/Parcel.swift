import ControllerCore
import FleetProtocol
import FleetReplica

/// One message on its way.
indirect enum Parcel {
    /// From the numbered host to the numbered life of the controller.
    case fromNode(Int, life: Int, ConnectionID, NodeMessage)
    case telemetry(Int, life: Int, Telemetry)
    case toNode(Int, ConnectionID, ControllerMessage)
    /// From a client's connection.
    case request(life: Int, ConnectionID, TokenDigest, ClientRequest)
    /// To the numbered watcher, as the answer to a pull.
    case chunk(Int, SnapshotChunk, Replica.Pull)
    /// To the numbered watcher, of the stream of the numbered life.
    case update(Int, life: Int, StreamUpdate)
}
