import Stepping
import SwiftProtobuf

extension SnapshotChunk {
    init(wire: Sensibus_V1_SnapshotChunk) throws(WireError) {
        let count = wire.device.count
        let columns = [
            wire.name.count, wire.node.count, wire.incarnation.count, wire.version.count, wire.on.count,
            wire.mode.count, wire.targetTemperatureCelsius.count, wire.fanLevel.count, wire.connected.count,
            wire.connectedSinceMs.count, wire.asOfMs.count,
        ]
        guard columns.allSatisfy({ $0 == count }) else {
            throw .malformed("snapshot", "columns of one length")
        }
        guard count <= Limits.chunkRows else { throw .malformed("rows", "at most \(Limits.chunkRows)") }
        var rows: [Row] = []
        rows.reserveCapacity(count)
        for index in 0..<count { rows.append(try Row(wire: wire, at: index)) }
        var nodes: [Node] = []
        nodes.reserveCapacity(wire.nodes.count)
        for node in wire.nodes { nodes.append(try Node(wire: node)) }
        self.init(
            epoch: try Epoch(wire: wire.epoch, field: "epoch"),
            sequence: try StreamSequence(wire: wire.sequence, field: "sequence"), nextCursor: wire.nextCursor,
            isLast: wire.done, isSettling: wire.settling, nodes: nodes, rows: rows)
    }

    var wire: Sensibus_V1_SnapshotChunk {
        .with {
            $0.epoch = epoch.value
            $0.sequence = sequence.value
            $0.nextCursor = nextCursor
            $0.done = isLast
            $0.settling = isSettling
            $0.nodes = nodes.map(\.wire)
            $0.device = rows.map(\.device.description)
            $0.name = rows.map(\.name)
            $0.node = rows.map { UInt32(truncatingIfNeeded: $0.node.value) }
            $0.incarnation = rows.map(\.reported.incarnation.bits)
            $0.version = rows.map(\.reported.version.value)
            $0.on = rows.map(\.reported.state.isOn)
            $0.mode = rows.map(\.reported.state.mode.wire)
            $0.targetTemperatureCelsius = rows.map { Int32($0.reported.state.targetCelsius) }
            $0.fanLevel = rows.map(\.reported.state.fanLevel.wire)
            $0.connected = rows.map(\.isConnected)
            $0.connectedSinceMs = rows.map(\.connectedSince.unixMilliseconds)
            $0.asOfMs = rows.map(\.asOf.unixMilliseconds)
        }
    }
}

extension SnapshotChunk.Row {
    fileprivate init(wire: Sensibus_V1_SnapshotChunk, at index: Int) throws(WireError) {
        self.init(
            device: try DeviceID(wire: wire.device[index]),
            name: try wire.name[index].checked(bytes: Limits.nameBytes, field: "name"),
            node: NodeIndex(UInt64(wire.node[index])),
            reported: DeviceState(
                state: ACState(
                    isOn: wire.on[index], mode: try ACMode(wire: wire.mode[index]),
                    targetCelsius: try Int8(wireCelsius: wire.targetTemperatureCelsius[index]),
                    fanLevel: try FanLevel(wire: wire.fanLevel[index])),
                version: try Version(wire: wire.version[index], field: "version"),
                incarnation: Incarnation(bits: wire.incarnation[index])
            ),
            isConnected: wire.connected[index],
            connectedSince: WallTime(wireMilliseconds: wire.connectedSinceMs[index]),
            asOf: WallTime(wireMilliseconds: wire.asOfMs[index]))
    }
}

extension SnapshotChunk.Node {
    fileprivate init(wire: Sensibus_V1_NodeRow) throws(WireError) {
        guard wire.hasPresence else { throw .missing("node.presence") }
        self.init(
            index: NodeIndex(UInt64(wire.node)), name: try NodeName(wire: wire.name),
            presence: try Presence(wire: wire.presence))
    }

    fileprivate var wire: Sensibus_V1_NodeRow {
        .with {
            $0.node = UInt32(truncatingIfNeeded: index.value)
            $0.name = name.text
            $0.presence = presence.wire
        }
    }
}
