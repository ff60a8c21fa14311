import Stepping

extension SnapshotChunk: WireFields {
    /// Bytes of a row with a usual name; those of a column are fewer than a tenth.
    private static let usualRowBytes = 96

    /// The columns that the rows come as.
    private struct Columns {
        var devices: [DeviceID] = []
        var names: [String] = []
        var nodes: [UInt32] = []
        var incarnations: [UInt64] = []
        var versions: [UInt64] = []
        var states = StateColumns()
        var connected: [Bool] = []
        var connectedSince: [Int64] = []
        var asOf: [Int64] = []
        /// Empty where none has a group.
        var groups: [UInt32] = []
        var measuredAt: [Int64] = []
        var measured = MeasurementColumns()
        /// Empty where all were last changed by requests.
        var causes: [UInt32] = []
        /// Of the rows that have any.
        var settings: [RowSettings] = []

        /// Reads a field that is a column.
        mutating func read(_ field: Int, of fields: inout FieldReader) throws(WireError) {
            switch field {
            case 10: try fields.read(&devices, field: "device")
            case 11: try fields.read(&names)
            case 12: try fields.read(&nodes)
            case 13: try fields.read(fixed: &incarnations)
            case 14: try fields.read(&versions)
            case 15: try fields.read(&connected)
            case 16: try fields.read(&connectedSince)
            case 17: try fields.read(&asOf)
            case 18...25: try states.read(field - 18, of: &fields)
            case 31: try fields.read(&groups)
            case 33: try fields.read(&measuredAt)
            case 34...37: try measured.read(field - 34, of: &fields)
            case 38: try fields.read(&causes)
            case 39: try fields.read(&settings)
            default: break
            }
        }

        /// Whether all columns are as long as the first.
        var areOfOneLength: Bool {
            let counts = [
                names.count, nodes.count, incarnations.count, versions.count, connected.count,
                connectedSince.count, asOf.count,
            ]
            return counts.allSatisfy { $0 == devices.count } && states.areOfLength(devices.count)
                && (groups.isEmpty || groups.count == devices.count)
                && (causes.isEmpty || causes.count == devices.count)
                && measured.areOfLength(measuredAt.count)
                && (measured.areAbsent || measured.areOfLength(devices.count))
        }

        func row(at index: Int, _ settings: DeviceSettings?) throws(WireError) -> Row {
            Row(
                device: devices[index],
                name: try names[index].checked(bytes: Limits.nameBytes, field: "name"),
                node: NodeIndex(UInt64(nodes[index])),
                group: try GroupNumber(wire: groups.isEmpty ? 0 : groups[index]),
                reported: DeviceState(
                    state: try states.state(at: index),
                    version: try Version(wire: versions[index], field: "version"),
                    incarnation: Incarnation(bits: incarnations[index])),
                isConnected: connected[index],
                connectedSince: WallTime(wireMilliseconds: connectedSince[index]),
                asOf: WallTime(wireMilliseconds: asOf[index]),
                cause: try ChangeCause(wire: causes.isEmpty ? 0 : causes[index]),
                measured: try measured(at: index), settings: settings)
        }

        private func measured(at index: Int) throws(WireError) -> Measured? {
            guard let measurements = try measured.measurements(at: index) else { return nil }
            return Measured(measurements, at: WallTime(wireMilliseconds: measuredAt[index]))
        }
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (epoch, sequence, nextCursor) = (UInt64(0), UInt64(0), UInt32(0))
        var (isLast, isSettling) = (false, false)
        var (endCursor, deviceCount) = (UInt32(0), UInt32(0))
        var (nodes, groups) = ([Node](), [Group]())
        var columns = Columns()
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&epoch)
            case 2: try fields.read(&sequence)
            case 3: try fields.read(&nextCursor)
            case 4: try fields.read(&isLast)
            case 5: try fields.read(&isSettling)
            case 6: try fields.read(&endCursor)
            case 7: try fields.read(&deviceCount)
            case 30: try fields.read(&nodes)
            case 32: try fields.read(&groups)
            default: try columns.read(field, of: &fields)
            }
        }
        guard columns.areOfOneLength else { throw .malformed("snapshot", "columns of one length") }
        guard columns.devices.count <= Limits.chunkRows else {
            throw .malformed("rows", "at most \(Limits.chunkRows)")
        }
        var rows: [Row] = []
        rows.reserveCapacity(columns.devices.count)
        let settings = RowSettings.byRow(columns.settings)
        for index in columns.devices.indices { rows.append(try columns.row(at: index, settings[index])) }
        self.init(
            epoch: try Epoch(wire: epoch, field: "epoch"),
            sequence: try StreamSequence(wire: sequence, field: "sequence"), nextCursor: nextCursor,
            isLast: isLast, isSettling: isSettling, endCursor: endCursor, deviceCount: deviceCount,
            nodes: nodes,
            groups: groups, rows: rows)
    }

    func write(to fields: inout FieldWriter) {
        fields.reserve(Self.usualRowBytes * rows.count)
        fields.put(1, epoch.value)
        fields.put(2, sequence.value)
        fields.put(3, nextCursor)
        fields.put(4, isLast)
        fields.put(5, isSettling)
        fields.put(6, endCursor)
        fields.put(7, deviceCount)
        fields.put(10, devices: rows.count) { rows[$0].device }
        for place in rows.indices { fields.put(11, element: rows[place].name) }
        fields.put(12, column: rows.count) { UInt32(truncatingIfNeeded: rows[$0].node.value) }
        fields.put(13, fixedColumn: rows.count) { rows[$0].reported.incarnation.bits }
        fields.put(14, column: rows.count) { rows[$0].reported.version.value }
        fields.put(15, column: rows.count) { rows[$0].isConnected }
        fields.put(16, column: rows.count) { rows[$0].connectedSince.unixMilliseconds }
        fields.put(17, column: rows.count) { rows[$0].asOf.unixMilliseconds }
        StateColumns.write(rows.count, from: 18, to: &fields) { rows[$0].reported.state }
        for node in nodes { fields.put(30, node) }
        if rows.indices.contains(where: { rows[$0].group != .none }) {
            fields.put(31, column: rows.count) { rows[$0].group.wire }
        }
        for group in groups { fields.put(32, group) }
        if rows.indices.contains(where: { rows[$0].measured != nil }) {
            fields.put(33, column: rows.count) { rows[$0].measured?.at.unixMilliseconds ?? 0 }
            MeasurementColumns.write(rows.count, from: 34, to: &fields) { rows[$0].measured?.measurements }
        }
        if rows.indices.contains(where: { rows[$0].cause != .request }) {
            fields.put(38, column: rows.count) { rows[$0].cause.wire }
        }
        for place in rows.indices {
            guard let settings = rows[place].settings else { continue }
            fields.put(39, RowSettings(row: place, settings: settings))
        }
    }
}

extension SnapshotChunk.Node: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (index, name, presence) = (UInt32(0), "", FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&index)
            case 2: try fields.read(&name)
            case 3: try fields.read(&presence)
            default: break
            }
        }
        guard let presence else { throw .missing("node.presence") }
        self.init(
            index: NodeIndex(UInt64(index)), name: try NodeName(wire: name),
            presence: try Presence(wire: presence))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, UInt32(truncatingIfNeeded: index.value))
        fields.put(2, name.text)
        fields.put(3, presence)
    }
}
