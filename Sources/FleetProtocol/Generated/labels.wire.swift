// Made by protoc-gen-fleetwire from sensibus/v1/labels.proto: `make proto` makes it again.
// swift-format-ignore-file

extension LabelRequest: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...2: try fields.read(&body)
            default: break
            }
        }
        self = try LabelRequest(wire: body.required("body: a request of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension LabelRequest {
    /// The case that the message in `LabelRequest.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1: self = .list(after: try LabelPullFields.read(choice.message))
        default: self = .set(try LabelAssignment(wire: choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .list(let after): fields.put(1) { LabelPullFields.write(after, into: &$0) }
        case .set(let value): fields.put(2, value)
        }
    }
}

extension LabelReply: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range, limit: Limits.chunkBytes)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...2: try fields.read(&body)
            default: break
            }
        }
        self = try LabelReply(wire: body.required("body: a reply of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension LabelReply {
    /// The case that the message in `LabelReply.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1:
            let (devices, isLast) = try LabelListFields.read(choice.message)
            self = .list(devices, isLast: isLast)
        default: self = .set(try LabelAssignment(wire: choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .list(let devices, let isLast): fields.put(1) { LabelListFields.write(devices, isLast, into: &$0) }
        case .set(let value): fields.put(2, value)
        }
    }
}

/// The fields of `LabelPull`.
enum LabelPullFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> DeviceID? {
        var after = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&after)
            default: break
            }
        }
        return try after.isEmpty ? nil : DeviceID(wire: after, field: "labels.after")
    }

    static func write(
        _ after: DeviceID?, into fields: inout FieldWriter
    ) {
        if let value = after { fields.put(1, value) }
    }
}

/// The fields of `LabelList`.
enum LabelListFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> ([LabelledDevice], Bool) {
        var devices: [LabelledDevice] = []
        var done = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&devices)
            case 2: try fields.read(&done)
            default: break
            }
        }
        guard devices.count <= Limits.chunkLabelledDevices else { throw .malformed("devices", "at most \(Limits.chunkLabelledDevices)") }
        return (devices, done)
    }

    static func write(
        _ devices: [LabelledDevice], _ isLast: Bool, into fields: inout FieldWriter
    ) {
        for value in devices { fields.put(1, value) }
        fields.put(2, isLast)
    }
}

extension LabelledDevice: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var device: DeviceID?
        var labels: [String] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(&labels)
            default: break
            }
        }
        guard labels.count <= Limits.deviceLabels else { throw .malformed("labelled_device.labels", "at most \(Limits.deviceLabels)") }
        self.init(
            device: try device.required("labelled_device.device"),
            labels: try labels.map { value throws(WireError) in try Label(wire: value, field: "labelled_device.labels") })
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, device)
        for value in labels { fields.put(2, element: value.wire) }
    }
}

extension LabelAssignment: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var device: [DeviceID] = []
        var labels: [String] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device, field: "label_assignment.device")
            case 2: try fields.read(&labels)
            default: break
            }
        }
        guard (1...Limits.faultDevices).contains(device.count) else { throw .malformed("label_assignment.device", "1 to \(Limits.faultDevices)") }
        guard labels.count <= Limits.deviceLabels else { throw .malformed("label_assignment.labels", "at most \(Limits.deviceLabels)") }
        self.init(
            devices: device,
            labels: try labels.map { value throws(WireError) in try Label(wire: value, field: "label_assignment.labels") })
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, devices: devices.count) { devices[$0] }
        for value in labels { fields.put(2, element: value.wire) }
    }
}

extension LabelUpdate: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&body)
            default: break
            }
        }
        self = try LabelUpdate(wire: body.required("body: an update of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension LabelUpdate {
    /// The case that the message in `LabelUpdate.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        default: self = .set(try LabelAssignment(wire: choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .set(let value): fields.put(1, value)
        }
    }
}

extension DeviceLabels: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var labels: [String] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&labels)
            default: break
            }
        }
        guard labels.count <= Limits.deviceLabels else { throw .malformed("device_labels.labels", "at most \(Limits.deviceLabels)") }
        self.init(
            labels: try labels.map { value throws(WireError) in try Label(wire: value, field: "device_labels.labels") })
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            for value in labels { fields.put(1, element: value.wire) }
        }
    }
}
