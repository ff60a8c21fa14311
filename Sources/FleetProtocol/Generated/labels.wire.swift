// Made by protoc-gen-fleetwire from sensibus/v1/labels.proto: `make proto` makes it again.
// swift-format-ignore-file

/// A request about the labels of the account's devices.
public enum LabelRequest: Equatable, Sendable {
    /// The account's devices that have labels, by device ID.
    /// - `after`: Only devices after that one; empty: all.
    case list(after: DeviceID?)
    /// The labels that devices have from now on, in place of those that they had.
    case set(LabelAssignment)
}

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

/// The controller's reply to a `LabelRequest`.
public enum LabelReply: Equatable, Sendable {
    /// Some of the account's devices that have labels, by device ID.
    /// - `devices`: At most 100.
    case list([LabelledDevice], isLast: Bool)
    /// The labels that devices have from now on, in place of those that they had.
    case set(LabelAssignment)
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

/// A device with its labels.
public struct LabelledDevice: Hashable, Sendable {
    public let device: DeviceID
    /// 1 to 16, in alphabetical order.
    public let labels: [Label]

    public init(device: DeviceID, labels: [Label] = []) {
        self.device = device
        self.labels = labels
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

/// The labels that devices have from now on, in place of those that they had.
public struct LabelAssignment: Hashable, Sendable {
    /// 1 to 1,000.
    public let devices: [DeviceID]
    /// At most 16; each is 1 to 32 of [a-z0-9._-]. None: the devices have no labels.
    public let labels: [Label]

    public init(devices: [DeviceID] = [], labels: [Label] = []) {
        self.devices = devices
        self.labels = labels
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

/// An update about the labels of the account's devices.
public enum LabelUpdate: Equatable, Sendable {
    /// The labels that devices have from now on, in place of those that they had.
    case set(LabelAssignment)
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

/// The value of a stored record, whose key is the device's ID.
public struct DeviceLabels: Equatable, Sendable {
    /// 1 to 16, in alphabetical order.
    public let labels: [Label]

    public init(labels: [Label] = []) {
        self.labels = labels
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
