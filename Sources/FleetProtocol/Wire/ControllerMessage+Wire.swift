import Stepping

extension ControllerMessage: WireMessage {
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        var fields = try FieldReader(message: bytes)
        var (version, epoch, body) = (UInt32(0), UInt64(0), Choice?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&version)
            case 2: try fields.read(&epoch)
            case 10...15, 30...34: try fields.read(&body)
            default: break
            }
        }
        try WireError.check(version: version)
        guard let body else { throw .missing("body: a message of a kind that this version knows") }
        self.init(epoch: try Epoch(wire: epoch, field: "epoch"), body: try Body(wire: body))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            fields.put(2, epoch.value)
            body.write(to: &fields)
        }
    }
}

extension ControllerMessage.Body {
    fileprivate init(wire body: Choice) throws(WireError) {
        switch body.number {
        case 10: self = .pong(helloWanted: try body.message.firstTruth())
        case 11:
            let pull = try Pull(wire: body.message)
            self = .pull(since: pull.since, cursor: pull.cursor, number: pull.number)
        case 12: self = try Self.command(wire: body.message)
        case 13: self = .abort(try CommandIdentity(wire: body.message))
        case 14:
            let order = try FaultOrder(wire: body.message)
            self = .fault(
                order.fault, devices: order.devices, duration: order.duration, delay: order.delay)
        case 15: self = .taken(try TakenDevices(wire: body.message).devices)
        case 30:
            let order = try DeviceOrder(wire: body.message)
            self = .heal(order.id, devices: order.devices)
        case 31:
            let order = try ScenarioOrder(wire: body.message)
            self = .scenario(order.id, order.scenario)
        case 32:
            let order = try DeviceOrder(wire: body.message)
            self = .retire(order.id, devices: order.devices)
        case 34: self = .listFaults(try DeviceOrder(wire: body.message).id)
        default: self = .renew(try RenewOrder(wire: body.message).devices)
        }
    }

    fileprivate func write(to fields: inout FieldWriter) {
        switch self {
        case .pong(let helloWanted): fields.put(10) { $0.put(1, helloWanted) }
        case .pull(let since, let cursor, let number):
            fields.put(11, Pull(since: since, cursor: cursor, number: number))
        case .command(let command): fields.put(12) { command.write(to: &$0, setting: nil) }
        case .configure(let command, let setting):
            fields.put(12) { command.write(to: &$0, setting: setting) }
        case .abort(let identity): fields.put(13, identity)
        case .fault(let fault, let devices, let duration, let delay):
            fields.put(14, FaultOrder(fault, devices, duration, delay))
        case .taken(let devices): fields.put(15, TakenDevices(devices: devices))
        case .heal(let id, let devices): fields.put(30, DeviceOrder(id: id, devices: devices))
        case .scenario(let id, let scenario): fields.put(31, ScenarioOrder(id: id, scenario: scenario))
        case .retire(let id, let devices): fields.put(32, DeviceOrder(id: id, devices: devices))
        case .listFaults(let id): fields.put(34, DeviceOrder(id: id, devices: []))
        case .renew(let devices): fields.put(33, RenewOrder(devices: devices))
        }
    }
}

/// What rows are asked for.
private struct Pull: WireFields {
    let since: ChangeNumber
    let cursor: UInt32
    let number: UInt64

    init(since: ChangeNumber, cursor: UInt32, number: UInt64) {
        self.since = since
        self.cursor = cursor
        self.number = number
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (since, cursor, number) = (UInt64(0), UInt32(0), UInt64(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&since)
            case 2: try fields.read(&cursor)
            case 3: try fields.read(&number)
            default: break
            }
        }
        self.init(
            since: try ChangeNumber(wire: since, field: "pull.since"), cursor: cursor, number: number)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, since.value)
        fields.put(2, cursor)
        fields.put(3, number)
    }
}

/// Devices that belong to another node.
private struct TakenDevices: WireFields {
    let devices: [DeviceID]

    init(devices: [DeviceID]) {
        self.devices = devices
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var devices: [DeviceID] = []
        while let field = try fields.next() {
            if field == 1 { try fields.read(&devices, field: "devices") }
        }
        self.init(devices: try Fault.checked(devices: devices))
    }

    func write(to fields: inout FieldWriter) {
        for device in devices { fields.put(1, device) }
    }
}

extension CommandIdentity: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (device, incarnation, sequence) = (DeviceID?.none, UInt64(0), UInt64(0))
        var requestID: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(fixed: &incarnation)
            case 3: try fields.read(&sequence)
            case 4: try fields.read(&requestID)
            default: break
            }
        }
        let id = try RequestID(wire: requestID, field: "abort.request_id")
        guard let device else { throw .malformedDevice() }
        self.init(
            device: device, incarnation: Incarnation(bits: incarnation),
            sequence: try CommandSequence(wire: sequence, field: "seq"), requestID: id)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, device)
        fields.put(2, fixed: incarnation.bits)
        fields.put(3, sequence.value)
        fields.put(4, requestID)
    }
}

extension ControllerMessage.Body {
    /// A command; one that has a change of settings is of settings alone.
    fileprivate static func command(wire fields: consuming FieldReader) throws(WireError) -> Self {
        var (device, incarnation, sequence) = (DeviceID?.none, UInt64(0), UInt64(0))
        var (requestID, change, setting) = (FieldReader?.none, FieldReader?.none, FieldReader?.none)
        var (base, milliseconds, isCorrection) = (UInt64?.none, UInt32(0), false)
        var takesMs = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(fixed: &incarnation)
            case 3: try fields.read(&sequence)
            case 4: try fields.read(&requestID)
            case 5: try fields.read(&change)
            case 6: try fields.read(&base)
            case 7: try fields.read(&milliseconds)
            case 30: try fields.read(&isCorrection)
            case 31: try fields.read(&setting)
            case 32: try fields.read(&takesMs)
            default: break
            }
        }
        let id = try RequestID(wire: requestID, field: "command.request_id")
        guard takesMs <= UInt32(Limits.longestTaking.wholeMilliseconds) else {
            throw .malformed("takes_ms", "0 to \(Limits.longestTaking.wholeMilliseconds)")
        }
        guard change != nil || setting != nil else { throw .missing("command.change") }
        guard let device else { throw .malformedDevice() }
        let command = DeviceCommand(
            identity: CommandIdentity(
                device: device, incarnation: Incarnation(bits: incarnation),
                sequence: try CommandSequence(wire: sequence, field: "seq"), requestID: id),
            change: try change.map(ACStateChange.init(wire:)) ?? ACStateChange(),
            base: try base.map { version throws(WireError) in
                try Version(wire: version, field: "base_version")
            },
            timeToLive: .milliseconds(Int64(milliseconds)), isCorrection: isCorrection, takesMs: takesMs)
        guard let setting else { return .command(command) }
        return .configure(command, try SettingChange(wire: setting))
    }
}

extension DeviceCommand {
    fileprivate func write(to fields: inout FieldWriter, setting: SettingChange?) {
        identity.write(to: &fields)
        if setting == nil { fields.put(5, change) }
        fields.put(6, optional: base?.value)
        fields.put(7, UInt32(clamping: timeToLive.wholeMilliseconds))
        fields.put(30, isCorrection)
        if let setting { fields.put(31, setting) }
        fields.put(32, takesMs)
    }
}
