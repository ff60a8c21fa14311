// Made by protoc-gen-fleetwire from sensibus/v1/stream.proto: `make proto` makes it again.
// swift-format-ignore-file

/// An update that the controller publishes to the observers of an account.
public struct StreamUpdate: Equatable, Sendable {
    public let epoch: Epoch
    /// Gapless for each account within an epoch, from 1. A beat repeats the last one.
    public let sequence: StreamSequence
    /// Unix milliseconds.
    public let at: WallTime
    public let body: StreamUpdate.Body
    /// The last update of this stream, because the session of its ticket has ended. Always a beat.
    public let isLast: Bool

    public init(epoch: Epoch, sequence: StreamSequence, at: WallTime, body: StreamUpdate.Body, isLast: Bool = false) {
        self.epoch = epoch
        self.sequence = sequence
        self.at = at
        self.body = body
        self.isLast = isLast
    }
}

extension StreamUpdate: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var `protocol` = UInt32(0)
        var epoch = UInt64(0)
        var sequence = UInt64(0)
        var atMs = Int64(0)
        var last = false
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&`protocol`)
            case 2: try fields.read(&epoch)
            case 3: try fields.read(&sequence)
            case 4: try fields.read(&atMs)
            case 5: try fields.read(&last)
            case 10...21: try fields.read(&body)
            default: break
            }
        }
        try WireError.check(version: `protocol`)
        self.init(
            epoch: try Epoch(wire: epoch, field: "epoch"),
            sequence: try StreamSequence(wire: sequence, field: "sequence"),
            at: try WallTime(wire: atMs, field: "at_ms"),
            body: try StreamUpdate.Body(wire: body.required("body: an update of a kind that this version knows"), at: try WallTime(wire: atMs, field: "at_ms")),
            isLast: last)
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            fields.put(2, epoch.wire)
            fields.put(3, sequence.wire)
            fields.put(4, at.wire)
            fields.put(5, isLast)
            body.write(to: &fields)
        }
    }
}

extension StreamUpdate.Body {
    /// The case that the message in `StreamUpdate.body` is.
    init(wire choice: consuming Choice, at: WallTime) throws(WireError) {
        switch choice.number {
        case 10: self = .beat
        case 11: self = try Self.readReported(choice.message)
        case 12:
            let (device, isConnected) = try ConnectionFields.read(choice.message)
            self = .connection(device, isConnected: isConnected)
        case 13:
            let (node, devices) = try NodePresenceFields.read(choice.message)
            self = .node(node, devices: devices)
        case 14: self = .outcome(try OutcomeReport(wire: choice.message))
        case 15: self = try Self.readAdded(choice.message, at: at)
        case 16: self = .removed(try RemovedFields.read(choice.message))
        case 17: self = try Self.readMeasured(choice.message)
        case 18: self = .group(try SnapshotChunk.Group(wire: choice.message))
        case 19: self = .reports(try ReportedDevicesFields.read(choice.message))
        case 20:
            let (device, settings) = try SettledDeviceFields.read(choice.message)
            self = .settings(device, settings)
        default: self = .service(try ServiceMessage(wire: choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .beat: fields.put(10) { _ in }
        case .reported: fields.put(11) { writeReported(to: &$0) }
        case .connection(let device, let isConnected): fields.put(12) { ConnectionFields.write(device, isConnected, into: &$0) }
        case .node(let node, let devices): fields.put(13) { NodePresenceFields.write(node, devices, into: &$0) }
        case .outcome(let value): fields.put(14, value)
        case .added: fields.put(15) { writeAdded(to: &$0) }
        case .removed(let device): fields.put(16) { RemovedFields.write(device, into: &$0) }
        case .measured: fields.put(17) { writeMeasured(to: &$0) }
        case .group(let value): fields.put(18, value)
        case .reports(let devices): fields.put(19) { ReportedDevicesFields.write(devices, into: &$0) }
        case .settings(let device, let settings): fields.put(20) { SettledDeviceFields.write(device, settings, into: &$0) }
        case .service(let value): fields.put(21, value)
        }
    }
}

/// A device's state, version or incarnation changed.
public struct ReportedDevice: Hashable, Sendable {
    public let device: DeviceID
    public let state: DeviceState
    /// The cause of the last change.
    public let cause: ChangeCause

    public init(device: DeviceID, state: DeviceState, cause: ChangeCause = .request) {
        self.device = device
        self.state = state
        self.cause = cause
    }
}

extension ReportedDevice: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var device: DeviceID?
        var incarnation = UInt64(0)
        var version = UInt64(0)
        var state: FieldReader?
        var cause = UInt32(0)
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
        self.init(
            device: try device.required("device"),
            state: DeviceState(state: try ACState(wire: state.required("reported.state")), version: try Version(wire: version, field: "version"), incarnation: try Incarnation(wire: incarnation, field: "incarnation")),
            cause: try ChangeCause(wire: cause, field: "cause"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, device)
        fields.put(2, fixed: state.incarnation.wire)
        fields.put(3, state.version.wire)
        fields.put(4, state.state)
        fields.put(5, cause.wire)
    }
}

/// The fields of `ReportedDevices`.
enum ReportedDevicesFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> [ReportedDevice] {
        var device: [DeviceID] = []
        var incarnation: [UInt64] = []
        var version: [UInt64] = []
        var on: [Bool] = []
        var mode: [UInt32] = []
        var targetTemperature: [Int32] = []
        var fanLevel: [UInt32] = []
        var swing: [UInt32] = []
        var horizontalSwing: [UInt32] = []
        var light: [UInt32] = []
        var temperatureUnit: [UInt32] = []
        var cause: [UInt32] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device, field: "device")
            case 2: try fields.read(fixed: &incarnation)
            case 3: try fields.read(&version)
            case 4: try fields.read(&on)
            case 5: try fields.read(&mode)
            case 6: try fields.read(&targetTemperature)
            case 7: try fields.read(&fanLevel)
            case 8: try fields.read(&swing)
            case 9: try fields.read(&horizontalSwing)
            case 10: try fields.read(&light)
            case 11: try fields.read(&temperatureUnit)
            case 12: try fields.read(&cause)
            default: break
            }
        }
        guard
            incarnation.count == device.count,
            version.count == device.count,
            on.count == device.count,
            mode.count == device.count,
            targetTemperature.count == device.count,
            fanLevel.count == device.count,
            swing.count == device.count,
            horizontalSwing.count == device.count,
            light.count == device.count,
            temperatureUnit.count == device.count,
            cause.isEmpty || cause.count == device.count
        else { throw .malformed("reports", "columns of one length") }
        guard device.count <= Limits.updateDevices else {
            throw .malformed("reports", "at most \(Limits.updateDevices)")
        }
        var devicesValue: [ReportedDevice] = []
        devicesValue.reserveCapacity(device.count)
        for index in device.indices {
            devicesValue.append(
                ReportedDevice(
                    device: device[index],
                    state: DeviceState(state: ACState(isOn: on[index], mode: try ACMode(wire: mode[index], field: "mode"), targetTemperature: try Int8(wire: targetTemperature[index], field: "target_temperature"), temperatureUnit: try TemperatureUnit(wire: temperatureUnit[index], field: "temperature_unit"), fanLevel: try FanLevel(wire: fanLevel[index], field: "fan_level"), swing: try Swing(wire: swing[index], field: "swing"), horizontalSwing: try HorizontalSwing(wire: horizontalSwing[index], field: "horizontal_swing"), light: try Light(wire: light[index], field: "light")), version: try Version(wire: version[index], field: "version"), incarnation: try Incarnation(wire: incarnation[index], field: "incarnation")),
                    cause: cause.isEmpty ? .request : try ChangeCause(wire: cause[index], field: "cause")))
        }
        return devicesValue
    }

    static func write(
        _ devices: [ReportedDevice], into fields: inout FieldWriter
    ) {
        fields.put(1, devices: devices.count) { devices[$0].device }
        fields.put(2, fixedColumn: devices.count) { devices[$0].state.incarnation.wire }
        fields.put(3, column: devices.count) { devices[$0].state.version.wire }
        fields.put(4, column: devices.count) { devices[$0].state.state.isOn }
        fields.put(5, column: devices.count) { devices[$0].state.state.mode.wire }
        fields.put(6, column: devices.count) { Int32(devices[$0].state.state.targetTemperature) }
        fields.put(7, column: devices.count) { devices[$0].state.state.fanLevel.wire }
        fields.put(8, column: devices.count) { devices[$0].state.state.swing.wire }
        fields.put(9, column: devices.count) { devices[$0].state.state.horizontalSwing.wire }
        fields.put(10, column: devices.count) { devices[$0].state.state.light.wire }
        fields.put(11, column: devices.count) { devices[$0].state.state.temperatureUnit.wire }
        if devices.indices.contains(where: { devices[$0].cause != .request }) {
            fields.put(12, column: devices.count) { devices[$0].cause.wire }
        }
    }
}

/// The fields of `Connection`.
enum ConnectionFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (DeviceID, Bool) {
        var device: DeviceID?
        var connected = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(&connected)
            default: break
            }
        }
        return (try device.required("device"), connected)
    }

    static func write(
        _ device: DeviceID, _ isConnected: Bool, into fields: inout FieldWriter
    ) {
        fields.put(1, device)
        fields.put(2, isConnected)
    }
}

/// The fields of `NodePresence`.
enum NodePresenceFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (SnapshotChunk.Node, UInt32) {
        var node = UInt32(0)
        var name = ""
        var presence: FieldReader?
        var devices = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&node)
            case 2: try fields.read(&name)
            case 3: try fields.read(&presence)
            case 4: try fields.read(&devices)
            default: break
            }
        }
        return (SnapshotChunk.Node(index: try NodeIndex(wire: node, field: "node"), name: try NodeName(wire: name, field: "node"), presence: try Presence(wire: presence.required("node.presence"))), devices)
    }

    static func write(
        _ node: SnapshotChunk.Node, _ devices: UInt32, into fields: inout FieldWriter
    ) {
        fields.put(1, node.index.wire)
        fields.put(2, node.name.wire)
        fields.put(3, node.presence)
        fields.put(4, devices)
    }
}

/// The fields of `Added`.
enum AddedFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (ReportedDevice, String, NodeIndex, Bool, GroupNumber, DeviceSettings?) {
        var reported: FieldReader?
        var name = ""
        var node = UInt32(0)
        var connected = false
        var group = UInt32(0)
        var settings: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&reported)
            case 2: try fields.read(&name)
            case 3: try fields.read(&node)
            case 4: try fields.read(&connected)
            case 30: try fields.read(&group)
            case 31: try fields.read(&settings)
            default: break
            }
        }
        return (try ReportedDevice(wire: reported.required("added.reported")), try name.checked(bytes: Limits.nameBytes, field: "name"), try NodeIndex(wire: node, field: "node"), connected, try GroupNumber(wire: group, field: "group"), try settings.map { value throws(WireError) in try DeviceSettings(wire: value) })
    }

    static func write(
        _ reported: ReportedDevice, _ name: String, _ node: NodeIndex, _ isConnected: Bool, _ group: GroupNumber, _ settings: DeviceSettings?, into fields: inout FieldWriter
    ) {
        fields.put(1, reported)
        fields.put(2, name)
        fields.put(3, node.wire)
        fields.put(4, isConnected)
        fields.put(30, group.wire)
        if let value = settings { fields.put(31, value) }
    }
}

/// The fields of `SettledDevice`.
enum SettledDeviceFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (DeviceID, DeviceSettings) {
        var device: DeviceID?
        var settings: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(&settings)
            default: break
            }
        }
        return (try device.required("device"), try DeviceSettings(wire: settings.required("settings")))
    }

    static func write(
        _ device: DeviceID, _ settings: DeviceSettings, into fields: inout FieldWriter
    ) {
        fields.put(1, device)
        fields.put(2, settings)
    }
}

/// The fields of `Removed`.
enum RemovedFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> DeviceID {
        var device: DeviceID?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            default: break
            }
        }
        return try device.required("device")
    }

    static func write(
        _ device: DeviceID, into fields: inout FieldWriter
    ) {
        fields.put(1, device)
    }
}
