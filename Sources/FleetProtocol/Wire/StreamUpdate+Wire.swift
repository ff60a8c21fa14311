import Stepping
import SwiftProtobuf

extension StreamUpdate: WireMessage {
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        let wire = try Sensibus_V1_StreamUpdate.decoded(from: bytes)
        let at = WallTime(wireMilliseconds: wire.atMs)
        self.init(
            epoch: try Epoch(wire: wire.epoch, field: "epoch"),
            sequence: try StreamSequence(wire: wire.sequence, field: "sequence"), at: at,
            body: try Body(wire: wire, at: at))
    }

    public var wireBytes: [UInt8] {
        Sensibus_V1_StreamUpdate.ours { wire in
            wire.epoch = epoch.value
            wire.sequence = sequence.value
            wire.atMs = at.unixMilliseconds
            wire.body = body.wire
        }.bytes
    }
}

extension StreamUpdate.Body {
    fileprivate init(wire: Sensibus_V1_StreamUpdate, at: WallTime) throws(WireError) {
        switch wire.body {
        case .beat: self = .beat
        case .reported(let reported):
            self = .reported(try DeviceID(wire: reported.device), try DeviceState(wire: reported))
        case .connection(let connection):
            self = .connection(try DeviceID(wire: connection.device), isConnected: connection.connected)
        case .node(let node):
            guard node.hasPresence else { throw .missing("node.presence") }
            self = .node(
                SnapshotChunk.Node(
                    index: NodeIndex(UInt64(node.node)), name: try NodeName(wire: node.name),
                    presence: try Presence(wire: node.presence)),
                devices: node.devices)
        case .outcome(let report): self = .outcome(try OutcomeReport(wire: report))
        case .added(let added):
            guard added.hasReported else { throw .missing("added.reported") }
            self = .added(
                SnapshotChunk.Row(
                    device: try DeviceID(wire: added.reported.device),
                    name: try added.name.checked(bytes: Limits.nameBytes, field: "name"),
                    node: NodeIndex(UInt64(added.node)), reported: try DeviceState(wire: added.reported),
                    isConnected: added.connected, connectedSince: at, asOf: at))
        case .removed(let removed): self = .removed(try DeviceID(wire: removed.device))
        case nil: throw .missing("body: an update of a kind that this version knows")
        }
    }

    fileprivate var wire: Sensibus_V1_StreamUpdate.OneOf_Body {
        switch self {
        case .beat: .beat(.init())
        case .reported(let device, let state): .reported(state.wire(device))
        case .connection(let device, let isConnected):
            .connection(
                .with {
                    $0.device = device.description
                    $0.connected = isConnected
                })
        case .node(let node, let devices):
            .node(
                .with {
                    $0.node = UInt32(truncatingIfNeeded: node.index.value)
                    $0.name = node.name.text
                    $0.presence = node.presence.wire
                    $0.devices = devices
                })
        case .outcome(let report): .outcome(report.wire)
        case .added(let row):
            .added(
                .with {
                    $0.reported = row.reported.wire(row.device)
                    $0.name = row.name
                    $0.node = UInt32(truncatingIfNeeded: row.node.value)
                    $0.connected = row.isConnected
                })
        case .removed(let device): .removed(.with { $0.device = device.description })
        }
    }
}

extension DeviceState {
    fileprivate init(wire: Sensibus_V1_Reported) throws(WireError) {
        guard wire.hasState else { throw .missing("reported.state") }
        self.init(
            state: try ACState(wire: wire.state), version: try Version(wire: wire.version, field: "version"),
            incarnation: Incarnation(bits: wire.incarnation))
    }

    fileprivate func wire(_ device: DeviceID) -> Sensibus_V1_Reported {
        .with {
            $0.device = device.description
            $0.incarnation = incarnation.bits
            $0.version = version.value
            $0.state = state.wire
        }
    }
}
