import SwiftProtobuf

extension DeviceRow {
    init(wire: Sensibus_V1_DeviceRow) throws(WireError) {
        guard wire.hasState else { throw .missing("row.state") }
        self.init(
            device: try DeviceID(wire: wire.device),
            number: try ChangeNumber(wire: wire.number, field: "number"),
            reported: DeviceState(
                state: try ACState(wire: wire.state),
                version: try Version(wire: wire.version, field: "version"),
                incarnation: Incarnation(bits: wire.incarnation)),
            epoch: try Epoch(wire: wire.epoch, field: "epoch"),
            lastSequence: try CommandSequence(wire: wire.lastSeq, field: "last_seq"),
            isConnected: wire.connected
        )
    }

    var wire: Sensibus_V1_DeviceRow {
        .with {
            $0.device = device.description
            $0.number = number.value
            $0.incarnation = reported.incarnation.bits
            $0.epoch = epoch.value
            $0.lastSeq = lastSequence.value
            $0.version = reported.version.value
            $0.state = reported.state.wire
            $0.connected = isConnected
        }
    }

    /// The rows of a message.
    static func rows(wire messages: [Sensibus_V1_DeviceRow]) throws(WireError) -> [DeviceRow] {
        var rows: [DeviceRow] = []
        rows.reserveCapacity(messages.count)
        for message in messages { rows.append(try DeviceRow(wire: message)) }
        return rows
    }
}

extension RowChunk {
    init(wire: Sensibus_V1_RowChunk) throws(WireError) {
        let count = wire.device.count
        let columns = [
            wire.name.count, wire.number.count, wire.incarnation.count, wire.epoch.count, wire.lastSeq.count,
            wire.version.count, wire.on.count, wire.mode.count, wire.targetTemperatureCelsius.count,
            wire.fanLevel.count, wire.connected.count,
        ]
        guard columns.allSatisfy({ $0 == count }) else { throw .malformed("rows", "columns of one length") }
        guard count <= Limits.chunkRows else { throw .malformed("rows", "at most \(Limits.chunkRows)") }
        var rows: [Row] = []
        rows.reserveCapacity(count)
        for index in 0..<count { rows.append(try Row(wire: wire, at: index)) }
        self.init(
            since: try ChangeNumber(wire: wire.since, field: "since"), cursor: wire.cursor,
            nextCursor: wire.nextCursor,
            isLast: wire.done,
            rows: rows)
    }

    var wire: Sensibus_V1_RowChunk {
        .with {
            $0.since = since.value
            $0.cursor = cursor
            $0.nextCursor = nextCursor
            $0.done = isLast
            $0.device = rows.map(\.device.device.description)
            $0.name = rows.map(\.name)
            $0.number = rows.map(\.device.number.value)
            $0.incarnation = rows.map(\.device.reported.incarnation.bits)
            $0.epoch = rows.map(\.device.epoch.value)
            $0.lastSeq = rows.map(\.device.lastSequence.value)
            $0.version = rows.map(\.device.reported.version.value)
            $0.on = rows.map(\.device.reported.state.isOn)
            $0.mode = rows.map(\.device.reported.state.mode.wire)
            $0.targetTemperatureCelsius = rows.map { Int32($0.device.reported.state.targetCelsius) }
            $0.fanLevel = rows.map(\.device.reported.state.fanLevel.wire)
            $0.connected = rows.map(\.device.isConnected)
        }
    }
}

extension RowChunk.Row {
    fileprivate init(wire: Sensibus_V1_RowChunk, at index: Int) throws(WireError) {
        self.init(
            device: DeviceRow(
                device: try DeviceID(wire: wire.device[index]),
                number: try ChangeNumber(wire: wire.number[index], field: "number"),
                reported: DeviceState(
                    state: ACState(
                        isOn: wire.on[index], mode: try ACMode(wire: wire.mode[index]),
                        targetCelsius: try Int8(wireCelsius: wire.targetTemperatureCelsius[index]),
                        fanLevel: try FanLevel(wire: wire.fanLevel[index])),
                    version: try Version(wire: wire.version[index], field: "version"),
                    incarnation: Incarnation(bits: wire.incarnation[index])),
                epoch: try Epoch(wire: wire.epoch[index], field: "epoch"),
                lastSequence: try CommandSequence(wire: wire.lastSeq[index], field: "last_seq"),
                isConnected: wire.connected[index]),
            name: try wire.name[index].checked(bytes: Limits.nameBytes, field: "name"))
    }
}
