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
        func bytes(_ members: [JSONValue.Member]) -> [UInt8] {
            var bytes: [UInt8] = []
            JSONValue.object(members).append(to: &bytes)
            return bytes
        }
        func end(isConnected: Bool) -> [UInt8] {
            // The lines do not contain the time of the change.
            let presence = Presence.joined(
                node: change.presence, isConnected: isConnected, connectedSince: change.presence.since)
            let members = [JSONValue.Member("node", .text(change.node.text))]
            return Array(",".utf8) + bytes(members + EventJSON.members(of: presence)).dropFirst()
                + Array("\n".utf8)
        }
        let common: [JSONValue.Member] = [
            .init("at", .string(TimeText.iso8601(event.at))), .init("kind", .string("presence")),
        ]
        start = bytes(common).dropLast() + Array(",\"device\":\"".utf8)
        ends = (end(isConnected: true), end(isConnected: false))
    }

    /// Appends the line of a device.
    func append(_ row: ReplicaRow, to output: inout [UInt8]) {
        output += start
        row.device.append(to: &output)
        output += "\",\"name\":".utf8
        JSONValue.string(row.name).append(to: &output)
        output += row.isConnected ? ends.connected : ends.disconnected
    }
}
