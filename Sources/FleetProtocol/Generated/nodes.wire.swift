// Made by protoc-gen-fleetwire from sensibus/v1/nodes.proto: `make proto` makes it again.
// swift-format-ignore-file

/// A note that a node adds to its reply to an order.
public enum OrderRemark: UInt8, CaseIterable, Hashable, Sendable {
    /// Not executed: the scenario cannot be read.
    case unreadable
    /// The scenario describes other devices than the node was started with; these are unchanged.
    case populationUnchanged
    /// Not executed: the devices are not the last of the node.
    case notLast
}

extension OrderRemark {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .unreadable
        case 2: self = .populationUnchanged
        case 3: self = .notLast
        default: throw .malformed(field, "a remark")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .unreadable: 1
        case .populationUnchanged: 2
        case .notLast: 3
        }
    }
}

/// A message of a node to the controller on `devices`.
public struct NodeMessage: Equatable, Sendable {
    /// Identifies one run of the node process.
    public let bootID: BootID
    /// The node's last change number.
    public let lastNumber: ChangeNumber
    public let body: NodeMessage.Body

    public init(bootID: BootID, lastNumber: ChangeNumber, body: NodeMessage.Body) {
        self.bootID = bootID
        self.lastNumber = lastNumber
        self.body = body
    }
}

extension NodeMessage: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range, limit: Limits.chunkBytes)
        var `protocol` = UInt32(0)
        var bootID = UInt64(0)
        var lastNumber = UInt64(0)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&`protocol`)
            case 2: try fields.read(fixed: &bootID)
            case 3: try fields.read(&lastNumber)
            case 10...14, 30...31: try fields.read(&body)
            default: break
            }
        }
        try WireError.check(version: `protocol`)
        self.init(
            bootID: try BootID(wire: bootID, field: "boot_id"),
            lastNumber: try ChangeNumber(wire: lastNumber, field: "last_number"),
            body: try NodeMessage.Body(wire: body.required("body: a message of a kind that this version knows")))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            fields.put(2, fixed: bootID.wire)
            fields.put(3, lastNumber.wire)
            body.write(to: &fields)
        }
    }
}

extension NodeMessage.Body {
    /// The case that the message in `NodeMessage.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 10: self = .hello(try NodeHello(wire: choice.message))
        case 11: self = .ping(try PingFields.read(choice.message))
        case 12: self = .result(try CommandResult(wire: choice.message))
        case 13: self = .rows(try RowChunk(wire: choice.message))
        case 14: self = .leaving
        case 30:
            let (order, devices, remark) = try OrderDoneFields.read(choice.message)
            self = .done(order, devices: devices, remark)
        default:
            let (order, list) = try NodeFaultsFields.read(choice.message)
            self = .faults(order, list)
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .hello(let value): fields.put(10, value)
        case .ping(let counters): fields.put(11) { PingFields.write(counters, into: &$0) }
        case .result(let value): fields.put(12, value)
        case .rows(let value): fields.put(13, value)
        case .leaving: fields.put(14) { _ in }
        case .done(let order, let devices, let remark): fields.put(30) { OrderDoneFields.write(order, devices, remark, into: &$0) }
        case .faults(let order, let list): fields.put(31) { NodeFaultsFields.write(order, list, into: &$0) }
        }
    }
}

/// The identity of a node, and what the controller must know before its rows.
public struct NodeHello: Hashable, Sendable {
    public let node: NodeName
    public let account: AccountID
    /// The number of devices, at most 1,000,000.
    public let devices: UInt32
    /// The groups, which rows reference by index, from 0; at most 256.
    public let groups: [DeviceGroup]
    /// Required.
    public let grant: NodeGrant?
    /// The name of the machine, as the node knows it; at most 64 bytes.
    public let host: String
    /// Requests of which the node's devices have judged the command: the last one, and the one with the newest ID; at most 2.
    /// If the controller does not know one of them, the controller's storage is that of an earlier time.
    public let judgedRequests: [RequestID]

    public init(node: NodeName, account: AccountID, devices: UInt32 = 0, groups: [DeviceGroup] = [], grant: NodeGrant? = nil, host: String = "", judgedRequests: [RequestID] = []) {
        self.node = node
        self.account = account
        self.devices = devices
        self.groups = groups
        self.grant = grant
        self.host = host
        self.judgedRequests = judgedRequests
    }
}

extension NodeHello: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var node = ""
        var account = ""
        var devices = UInt32(0)
        var groups: [DeviceGroup] = []
        var grant: FieldReader?
        var host = ""
        var judgedRequests: [RequestID] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&node)
            case 2: try fields.read(&account)
            case 3: try fields.read(&devices)
            case 30: try fields.read(&groups)
            case 31: try fields.read(&grant)
            case 32: try fields.read(&host)
            case 33: try fields.read(&judgedRequests)
            default: break
            }
        }
        guard devices <= Limits.nodeDevices else { throw .malformed("hello.devices", "at most \(Limits.nodeDevices)") }
        guard groups.count <= Limits.nodeGroups else { throw .malformed("hello.groups", "at most \(Limits.nodeGroups)") }
        guard judgedRequests.count <= Limits.judgedRequests else { throw .malformed("hello.judged_requests", "at most \(Limits.judgedRequests)") }
        self.init(
            node: try NodeName(wire: node, field: "node"),
            account: try AccountID(wire: account, field: "account"),
            devices: devices,
            groups: groups,
            grant: try grant.map { value throws(WireError) in try NodeGrant(wire: value) },
            host: try host.checked(bytes: Limits.hostBytes, field: "hello.host"),
            judgedRequests: judgedRequests)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, node.wire)
        fields.put(2, account.wire)
        fields.put(3, devices)
        for value in groups { fields.put(30, value) }
        if let value = grant { fields.put(31, value) }
        fields.put(32, host)
        for value in judgedRequests { fields.put(33, value) }
    }
}

/// The devices that the node may host: an index range of the fleet with that seed.
public struct NodeGrant: Hashable, Sendable {
    public let range: DeviceRange
    /// 32 bytes: BLAKE2b, keyed with the run directory's secret, of six lines.
    public let token: Token

    public init(range: DeviceRange, token: Token) {
        self.range = range
        self.token = token
    }
}

extension NodeGrant: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var seed = UInt64(0)
        var firstIndex = UInt64(0)
        var devices = UInt32(0)
        var token: [UInt8] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(fixed: &seed)
            case 2: try fields.read(&firstIndex)
            case 3: try fields.read(&devices)
            case 4: try fields.read(&token)
            default: break
            }
        }
        guard firstIndex <= Limits.largestOrdinal else { throw .malformed("grant.first_index", "at most \(Limits.largestOrdinal)") }
        guard devices <= Limits.nodeDevices else { throw .malformed("grant.devices", "at most \(Limits.nodeDevices)") }
        self.init(
            range: DeviceRange(seed: seed, firstIndex: firstIndex, count: devices),
            token: try Token(wire: token, field: "grant.token"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, fixed: range.seed)
        fields.put(2, range.firstIndex)
        fields.put(3, range.count)
        fields.put(4, token.wire)
    }
}

/// The fields of `Ping`.
enum PingFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> NodeCounters? {
        var counters: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&counters)
            default: break
            }
        }
        return try counters.map { value throws(WireError) in try NodeCounters(wire: value) }
    }

    static func write(
        _ counters: NodeCounters?, into fields: inout FieldWriter
    ) {
        if let value = counters { fields.put(1, value) }
    }
}

/// The fields of `OrderDone`.
enum OrderDoneFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (OrderID, UInt32, OrderRemark?) {
        var order = UInt64(0)
        var devices = UInt32(0)
        var remark = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(fixed: &order)
            case 2: try fields.read(&devices)
            case 3: try fields.read(&remark)
            default: break
            }
        }
        guard devices <= Limits.nodeDevices else { throw .malformed("done.devices", "at most \(Limits.nodeDevices)") }
        return (try OrderID(wire: order, field: "done.order"), devices, try remark == 0 ? nil : OrderRemark(wire: remark, field: "done.remark"))
    }

    static func write(
        _ order: OrderID, _ devices: UInt32, _ remark: OrderRemark?, into fields: inout FieldWriter
    ) {
        fields.put(1, fixed: order.wire)
        fields.put(2, devices)
        if let value = remark { fields.put(3, value.wire) }
    }
}

/// The fields of `NodeFaults`.
enum NodeFaultsFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (OrderID, FaultList) {
        var order = UInt64(0)
        var list: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(fixed: &order)
            case 2: try fields.read(&list)
            default: break
            }
        }
        return (try OrderID(wire: order, field: "order"), try FaultList(wire: list ?? FieldReader([])))
    }

    static func write(
        _ order: OrderID, _ list: FaultList, into fields: inout FieldWriter
    ) {
        fields.put(1, fixed: order.wire)
        fields.put(2, list)
    }
}

/// A device's answer to one command or abort.
public struct CommandResult: Hashable, Sendable {
    /// The command number and the request ID of the command.
    public let commandNumber: CommandNumber
    public let requestID: RequestID
    public let verdict: Verdict
    /// The state and version at the verdict.
    public let judged: DeviceState
    /// The time for which the device held the command.
    public let deviceUs: UInt64
    /// The present row of the device.
    public let row: DeviceRow

    public init(commandNumber: CommandNumber, requestID: RequestID, verdict: Verdict, judged: DeviceState, deviceUs: UInt64 = 0, row: DeviceRow) {
        self.commandNumber = commandNumber
        self.requestID = requestID
        self.verdict = verdict
        self.judged = judged
        self.deviceUs = deviceUs
        self.row = row
    }
}

extension CommandResult: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var commandNumber = UInt64(0)
        var requestID: FieldReader?
        var verdict = UInt32(0)
        var rejection = ""
        var state: FieldReader?
        var version = UInt64(0)
        var deviceUs = UInt64(0)
        var row: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&commandNumber)
            case 2: try fields.read(&requestID)
            case 3: try fields.read(&verdict)
            case 4: try fields.read(&rejection)
            case 5: try fields.read(&state)
            case 6: try fields.read(&version)
            case 7: try fields.read(&deviceUs)
            case 8: try fields.read(&row)
            default: break
            }
        }
        let rowValue = try DeviceRow(wire: row.required("result.row"))
        let verdictValue: Verdict
        switch verdict {
        case 1: verdictValue = .applied
        case 2: verdictValue = .unchanged
        case 3: verdictValue = .conflict
        case 4: verdictValue = .rejected(try rejection.checked(bytes: Limits.explanationBytes, field: "rejection"))
        case 5: verdictValue = .expired
        case 6: verdictValue = .aborted
        case 7: verdictValue = .staleIncarnation
        case 8: verdictValue = .staleEpoch
        case 9: verdictValue = .staleCommandNumber
        case 10: verdictValue = .commandNumberTaken
        default: throw .malformed("result.verdict", "a verdict")
        }
        self.init(
            commandNumber: try CommandNumber(wire: commandNumber, field: "command_number"),
            requestID: try RequestID(wire: requestID.required("result.request_id")),
            verdict: verdictValue,
            judged: DeviceState(state: try ACState(wire: state.required("result.state")), version: try Version(wire: version, field: "version"), incarnation: rowValue.reported.incarnation),
            deviceUs: deviceUs,
            row: rowValue)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, commandNumber.wire)
        fields.put(2, requestID)
        switch verdict {
        case .applied:
            fields.put(3, UInt32(1))
        case .unchanged:
            fields.put(3, UInt32(2))
        case .conflict:
            fields.put(3, UInt32(3))
        case .rejected(let rejection):
            fields.put(3, UInt32(4))
            fields.put(4, rejection.cut(toBytes: Limits.explanationBytes))
        case .expired:
            fields.put(3, UInt32(5))
        case .aborted:
            fields.put(3, UInt32(6))
        case .staleIncarnation:
            fields.put(3, UInt32(7))
        case .staleEpoch:
            fields.put(3, UInt32(8))
        case .staleCommandNumber:
            fields.put(3, UInt32(9))
        case .commandNumberTaken:
            fields.put(3, UInt32(10))
        }
        fields.put(5, judged.state)
        fields.put(6, judged.version.wire)
        fields.put(7, deviceUs)
        fields.put(8, row)
    }
}

/// One device as its node stores it.
public struct DeviceRow: Hashable, Sendable {
    public let device: DeviceID
    /// The change number of the row's last change.
    public let number: ChangeNumber
    public let reported: DeviceState
    /// The highest controller epoch that the device has seen.
    public let epoch: Epoch
    public let lastCommandNumber: CommandNumber
    public let isConnected: Bool
    /// The cause of the state's last change.
    public let cause: ChangeCause
    /// Absent: no settings.
    public let settings: DeviceSettings?

    public init(device: DeviceID, number: ChangeNumber, reported: DeviceState, epoch: Epoch, lastCommandNumber: CommandNumber, isConnected: Bool = false, cause: ChangeCause = .request, settings: DeviceSettings? = nil) {
        self.device = device
        self.number = number
        self.reported = reported
        self.epoch = epoch
        self.lastCommandNumber = lastCommandNumber
        self.isConnected = isConnected
        self.cause = cause
        self.settings = settings
    }
}

extension DeviceRow: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var device: DeviceID?
        var number = UInt64(0)
        var incarnation = UInt64(0)
        var epoch = UInt64(0)
        var lastCommandNumber = UInt64(0)
        var version = UInt64(0)
        var state: FieldReader?
        var connected = false
        var cause = UInt32(0)
        var settings: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(&number)
            case 3: try fields.read(fixed: &incarnation)
            case 4: try fields.read(&epoch)
            case 5: try fields.read(&lastCommandNumber)
            case 6: try fields.read(&version)
            case 7: try fields.read(&state)
            case 8: try fields.read(&connected)
            case 9: try fields.read(&cause)
            case 10: try fields.read(&settings)
            default: break
            }
        }
        self.init(
            device: try device.required("device"),
            number: try ChangeNumber(wire: number, field: "number"),
            reported: DeviceState(state: try ACState(wire: state.required("row.state")), version: try Version(wire: version, field: "version"), incarnation: try Incarnation(wire: incarnation, field: "incarnation")),
            epoch: try Epoch(wire: epoch, field: "epoch"),
            lastCommandNumber: try CommandNumber(wire: lastCommandNumber, field: "last_command_number"),
            isConnected: connected,
            cause: try ChangeCause(wire: cause, field: "cause"),
            settings: try settings.map { value throws(WireError) in try DeviceSettings(wire: value) })
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, device)
        fields.put(2, number.wire)
        fields.put(3, fixed: reported.incarnation.wire)
        fields.put(4, epoch.wire)
        fields.put(5, lastCommandNumber.wire)
        fields.put(6, reported.version.wire)
        fields.put(7, reported.state)
        fields.put(8, isConnected)
        fields.put(9, cause.wire)
        if let value = settings { fields.put(10, value) }
    }
}

extension RowChunk: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var since = UInt64(0)
        var cursor = UInt32(0)
        var nextCursor = UInt32(0)
        var done = false
        var pull = UInt64(0)
        var device: [DeviceID] = []
        var name: [String] = []
        var number: [UInt64] = []
        var incarnation: [UInt64] = []
        var epoch: [UInt64] = []
        var lastCommandNumber: [UInt64] = []
        var version: [UInt64] = []
        var connected: [Bool] = []
        var on: [Bool] = []
        var mode: [UInt32] = []
        var targetTemperature: [Int32] = []
        var fanLevel: [UInt32] = []
        var swing: [UInt32] = []
        var horizontalSwing: [UInt32] = []
        var light: [UInt32] = []
        var temperatureUnit: [UInt32] = []
        var group: [UInt32] = []
        var cause: [UInt32] = []
        var settings: [RowSettings] = []
        var measurements = MeasurementColumns()
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&since)
            case 2: try fields.read(&cursor)
            case 3: try fields.read(&nextCursor)
            case 4: try fields.read(&done)
            case 5: try fields.read(&pull)
            case 10: try fields.read(&device, field: "device")
            case 11: try fields.read(&name)
            case 12: try fields.read(&number)
            case 13: try fields.read(fixed: &incarnation)
            case 14: try fields.read(&epoch)
            case 15: try fields.read(&lastCommandNumber)
            case 16: try fields.read(&version)
            case 17: try fields.read(&connected)
            case 18: try fields.read(&on)
            case 19: try fields.read(&mode)
            case 20: try fields.read(&targetTemperature)
            case 21: try fields.read(&fanLevel)
            case 22: try fields.read(&swing)
            case 23: try fields.read(&horizontalSwing)
            case 24: try fields.read(&light)
            case 25: try fields.read(&temperatureUnit)
            case 30: try fields.read(&group)
            case 31: try fields.read(&cause)
            case 32: try fields.read(&settings)
            case 26...29: try measurements.read(field - 26, of: &fields)
            default: break
            }
        }
        guard
            name.count == device.count,
            number.count == device.count,
            incarnation.count == device.count,
            epoch.count == device.count,
            lastCommandNumber.count == device.count,
            version.count == device.count,
            connected.count == device.count,
            on.count == device.count,
            mode.count == device.count,
            targetTemperature.count == device.count,
            fanLevel.count == device.count,
            swing.count == device.count,
            horizontalSwing.count == device.count,
            light.count == device.count,
            temperatureUnit.count == device.count,
            group.isEmpty || group.count == device.count,
            cause.isEmpty || cause.count == device.count,
            measurements.areAbsent || measurements.areOfLength(device.count)
        else { throw .malformed("rows", "columns of one length") }
        guard device.count <= Limits.chunkRows else {
            throw .malformed("rows", "at most \(Limits.chunkRows)")
        }
        let settingsByRow = RowSettings.byRow(settings)
        var rowsValue: [RowChunk.Row] = []
        rowsValue.reserveCapacity(device.count)
        for index in device.indices {
            rowsValue.append(
                RowChunk.Row(
                    device: DeviceRow(device: device[index], number: try ChangeNumber(wire: number[index], field: "number"), reported: DeviceState(state: ACState(isOn: on[index], mode: try ACMode(wire: mode[index], field: "mode"), targetTemperature: try Int8(wire: targetTemperature[index], field: "target_temperature"), temperatureUnit: try TemperatureUnit(wire: temperatureUnit[index], field: "temperature_unit"), fanLevel: try FanLevel(wire: fanLevel[index], field: "fan_level"), swing: try Swing(wire: swing[index], field: "swing"), horizontalSwing: try HorizontalSwing(wire: horizontalSwing[index], field: "horizontal_swing"), light: try Light(wire: light[index], field: "light")), version: try Version(wire: version[index], field: "version"), incarnation: try Incarnation(wire: incarnation[index], field: "incarnation")), epoch: try Epoch(wire: epoch[index], field: "epoch"), lastCommandNumber: try CommandNumber(wire: lastCommandNumber[index], field: "last_command_number"), isConnected: connected[index], cause: cause.isEmpty ? .request : try ChangeCause(wire: cause[index], field: "cause"), settings: settingsByRow[index]),
                    name: try name[index].checked(bytes: Limits.nameBytes, field: "name"),
                    group: group.isEmpty ? 0 : try UInt8(wire: group[index], field: "rows.group", expected: "below \(Limits.nodeGroups)"),
                    measurements: try measurements.value(at: index)))
        }
        self.init(
            since: try ChangeNumber(wire: since, field: "since"),
            cursor: cursor,
            nextCursor: nextCursor,
            isLast: done,
            pull: pull,
            rows: rowsValue)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, since.wire)
        fields.put(2, cursor)
        fields.put(3, nextCursor)
        fields.put(4, isLast)
        fields.put(5, pull)
        fields.put(10, devices: rows.count) { rows[$0].device.device }
        for place in rows.indices { fields.put(11, element: rows[place].name) }
        fields.put(12, column: rows.count) { rows[$0].device.number.wire }
        fields.put(13, fixedColumn: rows.count) { rows[$0].device.reported.incarnation.wire }
        fields.put(14, column: rows.count) { rows[$0].device.epoch.wire }
        fields.put(15, column: rows.count) { rows[$0].device.lastCommandNumber.wire }
        fields.put(16, column: rows.count) { rows[$0].device.reported.version.wire }
        fields.put(17, column: rows.count) { rows[$0].device.isConnected }
        fields.put(18, column: rows.count) { rows[$0].device.reported.state.isOn }
        fields.put(19, column: rows.count) { rows[$0].device.reported.state.mode.wire }
        fields.put(20, column: rows.count) { Int32(rows[$0].device.reported.state.targetTemperature) }
        fields.put(21, column: rows.count) { rows[$0].device.reported.state.fanLevel.wire }
        fields.put(22, column: rows.count) { rows[$0].device.reported.state.swing.wire }
        fields.put(23, column: rows.count) { rows[$0].device.reported.state.horizontalSwing.wire }
        fields.put(24, column: rows.count) { rows[$0].device.reported.state.light.wire }
        fields.put(25, column: rows.count) { rows[$0].device.reported.state.temperatureUnit.wire }
        MeasurementColumns.write(rows.count, from: 26, to: &fields) { rows[$0].measurements }
        if rows.indices.contains(where: { rows[$0].group != 0 }) {
            fields.put(30, column: rows.count) { UInt32(rows[$0].group) }
        }
        if rows.indices.contains(where: { rows[$0].device.cause != .request }) {
            fields.put(31, column: rows.count) { rows[$0].device.cause.wire }
        }
        for place in rows.indices {
            guard let value = rows[place].device.settings else { continue }
            fields.put(32, RowSettings(UInt32(place), value))
        }
    }
}

extension Telemetry: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var `protocol` = UInt32(0)
        var bootID = UInt64(0)
        var rows: [DeviceRow] = []
        var measured: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&`protocol`)
            case 2: try fields.read(fixed: &bootID)
            case 3: try fields.read(&rows)
            case 4: try fields.read(&measured)
            default: break
            }
        }
        try WireError.check(version: `protocol`)
        self.init(
            bootID: try BootID(wire: bootID, field: "boot_id"),
            rows: rows,
            measured: try measured.map { value throws(WireError) in try MeasuredDevices(wire: value) })
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            fields.put(2, fixed: bootID.wire)
            for value in rows { fields.put(3, value) }
            if let value = measuredColumns { fields.put(4, value) }
        }
    }
}

/// A message of the controller to a node.
public struct ControllerMessage: Equatable, Sendable {
    /// The controller's start number: the fencing token.
    public let epoch: Epoch
    public let body: ControllerMessage.Body

    public init(epoch: Epoch, body: ControllerMessage.Body) {
        self.epoch = epoch
        self.body = body
    }
}

extension ControllerMessage: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var `protocol` = UInt32(0)
        var epoch = UInt64(0)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&`protocol`)
            case 2: try fields.read(&epoch)
            case 10...15, 30...36: try fields.read(&body)
            default: break
            }
        }
        try WireError.check(version: `protocol`)
        self.init(
            epoch: try Epoch(wire: epoch, field: "epoch"),
            body: try ControllerMessage.Body(wire: body.required("body: a message of a kind that this version knows")))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            fields.put(2, epoch.wire)
            body.write(to: &fields)
        }
    }
}

extension ControllerMessage.Body {
    /// The case that the message in `ControllerMessage.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 10: self = .pong(helloWanted: try PongFields.read(choice.message))
        case 11:
            let (since, cursor, number) = try PullFields.read(choice.message)
            self = .pull(since: since, cursor: cursor, number: number)
        case 12: self = try Self.readCommand(choice.message)
        case 13: self = .abort(try CommandIdentity(wire: choice.message))
        case 14:
            let (fault, devices, duration, delay) = try FaultOrderFields.read(choice.message)
            self = .fault(fault, devices: devices, duration: duration, delay: delay)
        case 15: self = .claimsRefused(try ClaimsRefusedFields.read(choice.message))
        case 30:
            let (order, devices) = try HealOrderFields.read(choice.message)
            self = .heal(order, devices: devices)
        case 31:
            let (order, scenario, beganAt) = try ScenarioOrderFields.read(choice.message)
            self = .scenario(order, scenario, beganAt: beganAt)
        case 32:
            let (order, devices) = try RetireOrderFields.read(choice.message)
            self = .retire(order, devices: devices)
        case 33: self = .renew(try RenewOrderFields.read(choice.message))
        case 34: self = .listFaults(try FaultListOrderFields.read(choice.message))
        case 35: self = .moved(try NodeMovedFields.read(choice.message))
        default: self = .refused(try NodeRun(wire: choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .pong(let helloWanted): fields.put(10) { PongFields.write(helloWanted, into: &$0) }
        case .pull(let since, let cursor, let number): fields.put(11) { PullFields.write(since, cursor, number, into: &$0) }
        case .command, .configure: fields.put(12) { writeCommand(to: &$0) }
        case .abort(let value): fields.put(13, value)
        case .fault(let fault, let devices, let duration, let delay): fields.put(14) { FaultOrderFields.write(fault, devices, duration, delay, into: &$0) }
        case .claimsRefused(let devices): fields.put(15) { ClaimsRefusedFields.write(devices, into: &$0) }
        case .heal(let order, let devices): fields.put(30) { HealOrderFields.write(order, devices, into: &$0) }
        case .scenario(let order, let scenario, let beganAt): fields.put(31) { ScenarioOrderFields.write(order, scenario, beganAt, into: &$0) }
        case .retire(let order, let devices): fields.put(32) { RetireOrderFields.write(order, devices, into: &$0) }
        case .renew(let devices): fields.put(33) { RenewOrderFields.write(devices, into: &$0) }
        case .listFaults(let order): fields.put(34) { FaultListOrderFields.write(order, into: &$0) }
        case .moved(let cell): fields.put(35) { NodeMovedFields.write(cell, into: &$0) }
        case .refused(let value): fields.put(36, value)
        }
    }
}

/// The fields of `NodeMoved`.
enum NodeMovedFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> CellName {
        var cell = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&cell)
            default: break
            }
        }
        return try CellName(wire: cell, field: "cell")
    }

    static func write(
        _ cell: CellName, into fields: inout FieldWriter
    ) {
        fields.put(1, cell.wire)
    }
}

/// The fields of `Pong`.
enum PongFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> Bool {
        var helloWanted = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&helloWanted)
            default: break
            }
        }
        return helloWanted
    }

    static func write(
        _ helloWanted: Bool, into fields: inout FieldWriter
    ) {
        fields.put(1, helloWanted)
    }
}

/// The fields of `Pull`.
enum PullFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (ChangeNumber, UInt32, UInt64) {
        var since = UInt64(0)
        var cursor = UInt32(0)
        var number = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&since)
            case 2: try fields.read(&cursor)
            case 3: try fields.read(&number)
            default: break
            }
        }
        return (try ChangeNumber(wire: since, field: "pull.since"), cursor, number)
    }

    static func write(
        _ since: ChangeNumber, _ cursor: UInt32, _ number: UInt64, into fields: inout FieldWriter
    ) {
        fields.put(1, since.wire)
        fields.put(2, cursor)
        fields.put(3, number)
    }
}

/// The fields of `DeviceCommand`.
enum DeviceCommandFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (identity: CommandIdentity, change: ACStateChange?, base: Version?, timeToLive: Duration, isCorrection: Bool, setting: SettingChange?, takesMs: UInt32) {
        var device: DeviceID?
        var incarnation = UInt64(0)
        var commandNumber = UInt64(0)
        var requestID: FieldReader?
        var change: FieldReader?
        var baseVersion: UInt64?
        var ttlMs = UInt32(0)
        var correction = false
        var setting: FieldReader?
        var takesMs = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(fixed: &incarnation)
            case 3: try fields.read(&commandNumber)
            case 4: try fields.read(&requestID)
            case 5: try fields.read(&change)
            case 6: try fields.read(&baseVersion)
            case 7: try fields.read(&ttlMs)
            case 30: try fields.read(&correction)
            case 31: try fields.read(&setting)
            case 32: try fields.read(&takesMs)
            default: break
            }
        }
        guard takesMs <= UInt32(Limits.longestTaking.wholeMilliseconds) else { throw .malformed("takes_ms", "0 to \(Limits.longestTaking.wholeMilliseconds)") }
        return (CommandIdentity(device: try device.required("device"), incarnation: try Incarnation(wire: incarnation, field: "incarnation"), commandNumber: try CommandNumber(wire: commandNumber, field: "command_number"), requestID: try RequestID(wire: requestID.required("command.request_id"))), try change.map { value throws(WireError) in try ACStateChange(wire: value) }, try baseVersion.map { value throws(WireError) in try Version(wire: value, field: "base_version") }, try Duration(wire: ttlMs, field: "ttl_ms"), correction, try setting.map { value throws(WireError) in try SettingChange(wire: value) }, takesMs)
    }

    static func write(
        identity: CommandIdentity, change: ACStateChange? = nil, base: Version? = nil, timeToLive: Duration = .zero, isCorrection: Bool = false, setting: SettingChange? = nil, takesMs: UInt32 = 0, into fields: inout FieldWriter
    ) {
        fields.put(1, identity.device)
        fields.put(2, fixed: identity.incarnation.wire)
        fields.put(3, identity.commandNumber.wire)
        fields.put(4, identity.requestID)
        if let value = change { fields.put(5, value) }
        fields.put(6, optional: base?.wire)
        fields.put(7, UInt32(clamping: timeToLive.wholeMilliseconds))
        fields.put(30, isCorrection)
        if let value = setting { fields.put(31, value) }
        fields.put(32, takesMs)
    }
}

/// The identity of a command: the device, the incarnation, the command number and the request.
public struct CommandIdentity: Hashable, Sendable {
    public let device: DeviceID
    public let incarnation: Incarnation
    public let commandNumber: CommandNumber
    public let requestID: RequestID

    public init(device: DeviceID, incarnation: Incarnation, commandNumber: CommandNumber, requestID: RequestID) {
        self.device = device
        self.incarnation = incarnation
        self.commandNumber = commandNumber
        self.requestID = requestID
    }
}

extension CommandIdentity: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var device: DeviceID?
        var incarnation = UInt64(0)
        var commandNumber = UInt64(0)
        var requestID: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(fixed: &incarnation)
            case 3: try fields.read(&commandNumber)
            case 4: try fields.read(&requestID)
            default: break
            }
        }
        self.init(
            device: try device.required("device"),
            incarnation: try Incarnation(wire: incarnation, field: "incarnation"),
            commandNumber: try CommandNumber(wire: commandNumber, field: "command_number"),
            requestID: try RequestID(wire: requestID.required("abort.request_id")))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, device)
        fields.put(2, fixed: incarnation.wire)
        fields.put(3, commandNumber.wire)
        fields.put(4, requestID)
    }
}

/// The fields of `FaultOrder`.
enum FaultOrderFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (Fault, [DeviceID], Duration, Duration) {
        var fault = UInt32(0)
        var devices: [DeviceID] = []
        var durationMs = UInt32(0)
        var delayMs = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&fault)
            case 2: try fields.read(&devices, field: "devices")
            case 3: try fields.read(&durationMs)
            case 4: try fields.read(&delayMs)
            default: break
            }
        }
        guard (1...Limits.faultDevices).contains(devices.count) else { throw .malformed("devices", "1 to \(Limits.faultDevices)") }
        let durationMsValue = try Duration(wire: durationMs, field: "duration_ms")
        guard durationMsValue <= Limits.longestFault else { throw .malformed("duration_ms", "at most a day") }
        let delayMsValue = try Duration(wire: delayMs, field: "delay_ms")
        guard delayMsValue <= Limits.longestDelay else { throw .malformed("delay_ms", "at most 30 s") }
        return (try Fault(wire: fault, field: "fault"), devices, durationMsValue, delayMsValue)
    }

    static func write(
        _ fault: Fault, _ devices: [DeviceID], _ duration: Duration, _ delay: Duration, into fields: inout FieldWriter
    ) {
        fields.put(1, fault.wire)
        fields.put(2, devices: devices.count) { devices[$0] }
        fields.put(3, UInt32(clamping: duration.wholeMilliseconds))
        fields.put(4, UInt32(clamping: delay.wholeMilliseconds))
    }
}

/// The fields of `HealOrder`.
enum HealOrderFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (OrderID, [DeviceID]) {
        var order = UInt64(0)
        var devices: [DeviceID] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(fixed: &order)
            case 2: try fields.read(&devices, field: "order.devices")
            default: break
            }
        }
        guard devices.count <= Limits.faultDevices else { throw .malformed("order.devices", "at most \(Limits.faultDevices)") }
        return (try OrderID(wire: order, field: "order.order"), devices)
    }

    static func write(
        _ order: OrderID, _ devices: [DeviceID], into fields: inout FieldWriter
    ) {
        fields.put(1, fixed: order.wire)
        fields.put(2, devices: devices.count) { devices[$0] }
    }
}

/// The fields of `RetireOrder`.
enum RetireOrderFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (OrderID, [DeviceID]) {
        var order = UInt64(0)
        var devices: [DeviceID] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(fixed: &order)
            case 2: try fields.read(&devices, field: "order.devices")
            default: break
            }
        }
        guard devices.count <= Limits.faultDevices else { throw .malformed("order.devices", "at most \(Limits.faultDevices)") }
        return (try OrderID(wire: order, field: "order.order"), devices)
    }

    static func write(
        _ order: OrderID, _ devices: [DeviceID], into fields: inout FieldWriter
    ) {
        fields.put(1, fixed: order.wire)
        fields.put(2, devices: devices.count) { devices[$0] }
    }
}

/// The fields of `FaultListOrder`.
enum FaultListOrderFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> OrderID {
        var order = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(fixed: &order)
            default: break
            }
        }
        return try OrderID(wire: order, field: "order")
    }

    static func write(
        _ order: OrderID, into fields: inout FieldWriter
    ) {
        fields.put(1, fixed: order.wire)
    }
}

/// The fields of `ScenarioOrder`.
enum ScenarioOrderFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (OrderID, String, WallTime?) {
        var order = UInt64(0)
        var scenario = ""
        var beganMs: Int64?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(fixed: &order)
            case 2: try fields.read(&scenario)
            case 3: try fields.read(&beganMs)
            default: break
            }
        }
        guard (1...Limits.scenarioBytes).contains(scenario.utf8.count) else { throw .malformed("scenario", "1 to \(Limits.scenarioBytes) bytes") }
        return (try OrderID(wire: order, field: "order"), scenario, try beganMs.map { value throws(WireError) in try WallTime(wire: value, field: "began_ms") })
    }

    static func write(
        _ order: OrderID, _ scenario: String, _ beganAt: WallTime?, into fields: inout FieldWriter
    ) {
        fields.put(1, fixed: order.wire)
        fields.put(2, scenario)
        fields.put(3, optional: beganAt?.wire)
    }
}

/// The fields of `RenewOrder`.
enum RenewOrderFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> [SeenDevice] {
        var devices: [SeenDevice] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&devices)
            default: break
            }
        }
        guard (1...Limits.renewedDevices).contains(devices.count) else { throw .malformed("renew.devices", "1 to \(Limits.renewedDevices)") }
        return devices
    }

    static func write(
        _ devices: [SeenDevice], into fields: inout FieldWriter
    ) {
        for value in devices { fields.put(1, value) }
    }
}

/// The newest state of a device's memory that the controller has seen.
public struct SeenDevice: Hashable, Sendable {
    public let device: DeviceID
    public let incarnation: Incarnation
    /// The newest version of that incarnation that the controller has seen.
    public let version: Version

    public init(device: DeviceID, incarnation: Incarnation, version: Version) {
        self.device = device
        self.incarnation = incarnation
        self.version = version
    }
}

extension SeenDevice: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var device: DeviceID?
        var incarnation = UInt64(0)
        var version = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(fixed: &incarnation)
            case 3: try fields.read(&version)
            default: break
            }
        }
        self.init(
            device: try device.required("device"),
            incarnation: try Incarnation(wire: incarnation, field: "incarnation"),
            version: try Version(wire: version, field: "version"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, device)
        fields.put(2, fixed: incarnation.wire)
        fields.put(3, version.wire)
    }
}

/// The fields of `ClaimsRefused`.
enum ClaimsRefusedFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> [DeviceID] {
        var devices: [DeviceID] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&devices, field: "devices")
            default: break
            }
        }
        guard (1...Limits.faultDevices).contains(devices.count) else { throw .malformed("devices", "1 to \(Limits.faultDevices)") }
        return devices
    }

    static func write(
        _ devices: [DeviceID], into fields: inout FieldWriter
    ) {
        fields.put(1, devices: devices.count) { devices[$0] }
    }
}
