extension RowChunk: WireFields {
    /// The columns that the rows come as.
    private struct Columns {
        var devices: [DeviceID] = []
        var names: [String] = []
        var numbers: [UInt64] = []
        var incarnations: [UInt64] = []
        var epochs: [UInt64] = []
        var lastSequences: [UInt64] = []
        var versions: [UInt64] = []
        var states = StateColumns()
        var connected: [Bool] = []
        var measured = MeasurementColumns()
        /// Empty where all are of the first group.
        var groups: [UInt32] = []
        /// Empty where all were last changed by requests.
        var causes: [UInt32] = []
        /// Of the rows that have any.
        var settings: [RowSettings] = []

        /// Reads a field that is a column.
        mutating func read(_ field: Int, of fields: inout FieldReader) throws(WireError) {
            switch field {
            case 10: try fields.read(&devices, field: "device")
            case 11: try fields.read(&names)
            case 12: try fields.read(&numbers)
            case 13: try fields.read(fixed: &incarnations)
            case 14: try fields.read(&epochs)
            case 15: try fields.read(&lastSequences)
            case 16: try fields.read(&versions)
            case 17: try fields.read(&connected)
            case 18...25: try states.read(field - 18, of: &fields)
            case 26...29: try measured.read(field - 26, of: &fields)
            case 30: try fields.read(&groups)
            case 31: try fields.read(&causes)
            case 32: try fields.read(&settings)
            default: break
            }
        }

        /// Whether all columns are as long as the first.
        var areOfOneLength: Bool {
            let counts = [
                names.count, numbers.count, incarnations.count, epochs.count, lastSequences.count,
                versions.count, connected.count,
            ]
            return counts.allSatisfy { $0 == devices.count } && states.areOfLength(devices.count)
                && (measured.areAbsent || measured.areOfLength(devices.count))
                && (groups.isEmpty || groups.count == devices.count)
                && (causes.isEmpty || causes.count == devices.count)
        }

        func row(at index: Int, _ settings: DeviceSettings?) throws(WireError) -> Row {
            guard let group = UInt8(exactly: groups.isEmpty ? 0 : groups[index]) else {
                throw .malformed("rows.group", "below \(Limits.nodeGroups)")
            }
            return Row(
                device: DeviceRow(
                    device: devices[index],
                    number: try ChangeNumber(wire: numbers[index], field: "number"),
                    reported: DeviceState(
                        state: try states.state(at: index),
                        version: try Version(wire: versions[index], field: "version"),
                        incarnation: Incarnation(bits: incarnations[index])),
                    epoch: try Epoch(wire: epochs[index], field: "epoch"),
                    lastSequence: try CommandSequence(wire: lastSequences[index], field: "last_seq"),
                    isConnected: connected[index],
                    cause: try ChangeCause(wire: causes.isEmpty ? 0 : causes[index]), settings: settings),
                name: try names[index].checked(bytes: Limits.nameBytes, field: "name"), group: group,
                measurements: try measured.measurements(at: index))
        }
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (since, cursor, nextCursor, isLast) = (UInt64(0), UInt32(0), UInt32(0), false)
        var pull: UInt64 = 0
        var columns = Columns()
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&since)
            case 2: try fields.read(&cursor)
            case 3: try fields.read(&nextCursor)
            case 4: try fields.read(&isLast)
            case 5: try fields.read(&pull)
            default: try columns.read(field, of: &fields)
            }
        }
        guard columns.areOfOneLength else { throw .malformed("rows", "columns of one length") }
        guard columns.devices.count <= Limits.chunkRows else {
            throw .malformed("rows", "at most \(Limits.chunkRows)")
        }
        var rows: [Row] = []
        rows.reserveCapacity(columns.devices.count)
        let settings = RowSettings.byRow(columns.settings)
        for index in columns.devices.indices { rows.append(try columns.row(at: index, settings[index])) }
        self.init(
            since: try ChangeNumber(wire: since, field: "since"), cursor: cursor, nextCursor: nextCursor,
            isLast: isLast, pull: pull, rows: rows)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, since.value)
        fields.put(2, cursor)
        fields.put(3, nextCursor)
        fields.put(4, isLast)
        fields.put(5, pull)
        fields.put(10, devices: rows.count) { rows[$0].device.device }
        for place in rows.indices { fields.put(11, element: rows[place].name) }
        fields.put(12, column: rows.count) { rows[$0].device.number.value }
        fields.put(13, fixedColumn: rows.count) { rows[$0].device.reported.incarnation.bits }
        fields.put(14, column: rows.count) { rows[$0].device.epoch.value }
        fields.put(15, column: rows.count) { rows[$0].device.lastSequence.value }
        fields.put(16, column: rows.count) { rows[$0].device.reported.version.value }
        fields.put(17, column: rows.count) { rows[$0].device.isConnected }
        StateColumns.write(rows.count, from: 18, to: &fields) { rows[$0].device.reported.state }
        MeasurementColumns.write(rows.count, from: 26, to: &fields) { rows[$0].measurements }
        if rows.contains(where: { $0.group > 0 }) {
            fields.put(30, column: rows.count) { UInt32(rows[$0].group) }
        }
        if rows.contains(where: { $0.device.cause != .request }) {
            fields.put(31, column: rows.count) { rows[$0].device.cause.wire }
        }
        for (place, row) in rows.enumerated() {
            guard let settings = row.device.settings else { continue }
            fields.put(32, RowSettings(row: place, settings: settings))
        }
    }
}
