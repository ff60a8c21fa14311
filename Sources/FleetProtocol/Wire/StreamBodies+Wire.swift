import Stepping

extension ReportedDevice: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (device, incarnation, version) = (DeviceID?.none, UInt64(0), UInt64(0))
        var (state, cause) = (FieldReader?.none, UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(fixed: &incarnation)
            case 3: try fields.read(&version)
            case 4: try fields.read(&state)
            case 5: try fields.read(&cause)
            default: break
            }
        }
        guard let state else { throw .missing("reported.state") }
        guard let device else { throw .malformedDevice() }
        self.init(
            device: device,
            state: DeviceState(
                state: try ACState(wire: state), version: try Version(wire: version, field: "version"),
                incarnation: Incarnation(bits: incarnation)), cause: try ChangeCause(wire: cause))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, device)
        fields.put(2, fixed: state.incarnation.bits)
        fields.put(3, state.version.value)
        fields.put(4, state.state)
        fields.put(5, cause.wire)
    }
}

/// Whether a device has a connection of its own.
struct DeviceConnection: WireFields {
    let device: DeviceID
    let isConnected: Bool

    init(device: DeviceID, isConnected: Bool) {
        self.device = device
        self.isConnected = isConnected
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (device, isConnected) = (DeviceID?.none, false)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(&isConnected)
            default: break
            }
        }
        guard let device else { throw .malformedDevice() }
        self.init(device: device, isConnected: isConnected)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, device)
        fields.put(2, isConnected)
    }
}

/// A node with as many of the account's devices as live there.
struct NodePresence: WireFields {
    let node: SnapshotChunk.Node
    let devices: UInt32

    init(node: SnapshotChunk.Node, devices: UInt32) {
        self.node = node
        self.devices = devices
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var devices: UInt32 = 0
        let node = try SnapshotChunk.Node(wire: copy fields)
        while let field = try fields.next() {
            if field == 4 { try fields.read(&devices) }
        }
        self.init(node: node, devices: devices)
    }

    func write(to fields: inout FieldWriter) {
        node.write(to: &fields)
        fields.put(4, devices)
    }
}

/// A device that is new to those who watch.
struct AddedDevice: WireFields {
    private let reported: ReportedDevice
    private let name: String
    private let node: NodeIndex
    private let isConnected: Bool
    private let group: GroupNumber
    private let settings: DeviceSettings?

    init(_ row: SnapshotChunk.Row) {
        reported = ReportedDevice(device: row.device, state: row.reported, cause: row.cause)
        name = row.name
        node = row.node
        isConnected = row.isConnected
        group = row.group
        settings = row.settings
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (reported, name, node, isConnected) = (FieldReader?.none, "", UInt32(0), false)
        var (group, settings) = (UInt32(0), FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&reported)
            case 2: try fields.read(&name)
            case 3: try fields.read(&node)
            case 4: try fields.read(&isConnected)
            case 30: try fields.read(&group)
            case 31: try fields.read(&settings)
            default: break
            }
        }
        guard let reported else { throw .missing("added.reported") }
        self.reported = try ReportedDevice(wire: reported)
        self.name = try name.checked(bytes: Limits.nameBytes, field: "name")
        self.node = NodeIndex(UInt64(node))
        self.isConnected = isConnected
        self.group = try GroupNumber(wire: group)
        self.settings = try settings.map(DeviceSettings.init(wire:))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, reported)
        fields.put(2, name)
        fields.put(3, UInt32(truncatingIfNeeded: node.value))
        fields.put(4, isConnected)
        fields.put(30, group.wire)
        if let settings { fields.put(31, settings) }
    }

    /// The device's row, as it is at that time.
    func row(at: WallTime) -> SnapshotChunk.Row {
        SnapshotChunk.Row(
            device: reported.device, name: name, node: node, group: group, reported: reported.state,
            isConnected: isConnected, connectedSince: at, asOf: at, cause: reported.cause,
            settings: settings)
    }
}
