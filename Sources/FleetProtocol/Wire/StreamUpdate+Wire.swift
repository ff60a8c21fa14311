import Stepping

extension StreamUpdate: WireMessage {
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        var fields = try FieldReader(message: bytes)
        var (version, epoch, sequence) = (UInt32(0), UInt64(0), UInt64(0))
        var (milliseconds, isLast, body) = (Int64(0), false, Choice?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&version)
            case 2: try fields.read(&epoch)
            case 3: try fields.read(&sequence)
            case 4: try fields.read(&milliseconds)
            case 5: try fields.read(&isLast)
            case 10...20: try fields.read(&body)
            default: break
            }
        }
        try WireError.check(version: version)
        let at = WallTime(wireMilliseconds: milliseconds)
        guard let body else { throw .missing("body: an update of a kind that this version knows") }
        self.init(
            epoch: try Epoch(wire: epoch, field: "epoch"),
            sequence: try StreamSequence(wire: sequence, field: "sequence"), at: at,
            body: try Body(wire: body, at: at), isLast: isLast)
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            fields.put(2, epoch.value)
            fields.put(3, sequence.value)
            fields.put(4, at.unixMilliseconds)
            fields.put(5, isLast)
            body.write(to: &fields)
        }
    }
}

extension StreamUpdate.Body {
    fileprivate init(wire body: Choice, at: WallTime) throws(WireError) {
        switch body.number {
        case 10: self = .beat
        case 11:
            let reported = try ReportedDevice(wire: body.message)
            self = .reported(reported.device, reported.state, by: reported.cause)
        case 12:
            let connection = try DeviceConnection(wire: body.message)
            self = .connection(connection.device, isConnected: connection.isConnected)
        case 13:
            let presence = try NodePresence(wire: body.message)
            self = .node(presence.node, devices: presence.devices)
        case 14: self = .outcome(try OutcomeReport(wire: body.message))
        case 15: self = .added(try AddedDevice(wire: body.message).row(at: at))
        case 16: self = .removed(try body.message.firstDevice())
        case 17: self = .measured(try MeasuredDevices(wire: body.message).devices)
        case 18: self = .group(try SnapshotChunk.Group(wire: body.message))
        case 20:
            let settled = try SettledDevice(wire: body.message)
            self = .settings(settled.device, settled.settings)
        default: self = .reports(try ReportedDevices(wire: body.message).devices)
        }
    }

    fileprivate func write(to fields: inout FieldWriter) {
        switch self {
        case .beat: fields.put(10) { _ in }
        case .reported(let device, let state, let cause):
            fields.put(11, ReportedDevice(device: device, state: state, cause: cause))
        case .connection(let device, let isConnected):
            fields.put(12, DeviceConnection(device: device, isConnected: isConnected))
        case .node(let node, let devices): fields.put(13, NodePresence(node: node, devices: devices))
        case .outcome(let report): fields.put(14, report)
        case .added(let row): fields.put(15, AddedDevice(row))
        case .removed(let device): fields.put(16) { $0.put(1, device) }
        case .measured(let devices): fields.put(17, MeasuredDevices(devices))
        case .group(let group): fields.put(18, group)
        case .reports(let devices): fields.put(19, ReportedDevices(devices))
        case .settings(let device, let settings):
            fields.put(20, SettledDevice(device: device, settings: settings))
        }
    }
}
