import ControllerCore
import FleetProtocol

/// One message on its way.
enum Parcel {
    case fromNode(Int, ConnectionID, NodeMessage)
    case telemetry(Int, Telemetry)
    case toNode(Int, ConnectionID, ControllerMessage)
    case request(Int, ClientRequest)
}
