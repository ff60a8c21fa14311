import FleetProtocol
import FleetReplica
import UserText

/// The JSON lines of a node's presence, one for each of its devices.
///
/// There may be a million lines, so their common part is formatted once.
struct PresenceLines {
    private let start: [UInt8]
    /// The part after the name, for a device with a connection of its own and for one without.
    private let ends: (connected: [UInt8], disconnected: [UInt8])

    init(of change: FleetEvent.NodeChange, in event: ObserverEvent) {
        func end(isConnected: Bool) -> [UInt8] {
            // The lines do not contain the time of the change.
            let presence = Presence.joined(
                node: change.presence, isConnected: isConnected, connectedSince: change.presence.since)
            let members = ["node": change.node.text] + EventJSON.members(of: presence)
            return Array(",".utf8) + JSONWriter.bytes(of: members).dropFirst() + Array("\n".utf8)
        }
        let common: JSONObject = ["at": TimeText.iso8601(event.at), "kind": "presence"]
        start = JSONWriter.bytes(of: common).dropLast() + Array(",\"device\":\"".utf8)
        ends = (end(isConnected: true), end(isConnected: false))
    }

    /// Appends the line of a device.
    func append(_ row: ReplicaRow, to output: inout [UInt8]) {
        output += start
        row.device.append(to: &output)
        output += "\",\"name\":".utf8
        JSONWriter.append(quoted: row.name, to: &output)
        output += row.isConnected ? ends.connected : ends.disconnected
    }
}
