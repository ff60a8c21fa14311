// Made by protoc-gen-fleetwire from sensibus/v1/common.proto: `make proto` makes it again.
// swift-format-ignore-file

/// The mode of an air conditioner.
public enum ACMode: UInt8, CaseIterable, Hashable, Sendable {
    /// The mode of that name in Sensibo's API.
    case cool
    case heat
    case fan
    case auto
    case dry
}

extension ACMode {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .cool
        case 2: self = .heat
        case 3: self = .fan
        case 4: self = .auto
        case 5: self = .dry
        default: throw .malformed(field, "a mode")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .cool: 1
        case .heat: 2
        case .fan: 3
        case .auto: 4
        case .dry: 5
        }
    }
}

/// The fan level of an air conditioner.
public enum FanLevel: UInt8, CaseIterable, Hashable, Sendable {
    /// The fan level of that name in Sensibo's API.
    case quiet
    case low
    case medium
    case high
    case auto
    /// `medium_low`, `medium_high` and `strong` in Sensibo's API.
    case mediumLow
    case mediumHigh
    case strong
}

extension FanLevel {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .quiet
        case 2: self = .low
        case 3: self = .medium
        case 4: self = .high
        case 5: self = .auto
        case 6: self = .mediumLow
        case 7: self = .mediumHigh
        case 8: self = .strong
        default: throw .malformed(field, "a fan level")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .quiet: 1
        case .low: 2
        case .medium: 3
        case .high: 4
        case .auto: 5
        case .mediumLow: 6
        case .mediumHigh: 7
        case .strong: 8
        }
    }
}

/// The first value of this enum and of the next three is an air conditioner's initial state.
public enum Swing: UInt8, CaseIterable, Hashable, Sendable {
    case stopped
    case fixedTop
    case fixedMiddleTop
    case fixedMiddle
    case fixedMiddleBottom
    case fixedBottom
    /// The flaps move within a part of their range, or within all of it.
    case rangeTop
    case rangeMiddle
    case rangeBottom
    case rangeFull
    /// The value of that name in Sensibo's API, for devices that name the direction of the swing.
    case horizontal
    case both
}

extension Swing {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 0: self = .stopped
        case 1: self = .fixedTop
        case 2: self = .fixedMiddleTop
        case 3: self = .fixedMiddle
        case 4: self = .fixedMiddleBottom
        case 5: self = .fixedBottom
        case 6: self = .rangeTop
        case 7: self = .rangeMiddle
        case 8: self = .rangeBottom
        case 9: self = .rangeFull
        case 10: self = .horizontal
        case 11: self = .both
        default: throw .malformed(field, "a swing")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .stopped: 0
        case .fixedTop: 1
        case .fixedMiddleTop: 2
        case .fixedMiddle: 3
        case .fixedMiddleBottom: 4
        case .fixedBottom: 5
        case .rangeTop: 6
        case .rangeMiddle: 7
        case .rangeBottom: 8
        case .rangeFull: 9
        case .horizontal: 10
        case .both: 11
        }
    }
}

/// The position of an air conditioner's vanes, which direct the air left and right.
public enum HorizontalSwing: UInt8, CaseIterable, Hashable, Sendable {
    case stopped
    case fixedLeft
    case fixedCenterLeft
    case fixedCenter
    case fixedCenterRight
    case fixedRight
    case fixedLeftRight
    /// The vanes move within a part of their range, or within all of it.
    case rangeCenter
    case rangeFull
    case rangeLeft
    case rangeRight
    /// The value of that name in Sensibo's API, for devices that name the direction of the swing.
    case horizontal
    case both
}

extension HorizontalSwing {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 0: self = .stopped
        case 1: self = .fixedLeft
        case 2: self = .fixedCenterLeft
        case 3: self = .fixedCenter
        case 4: self = .fixedCenterRight
        case 5: self = .fixedRight
        case 6: self = .fixedLeftRight
        case 7: self = .rangeCenter
        case 8: self = .rangeFull
        case 9: self = .rangeLeft
        case 10: self = .rangeRight
        case 11: self = .horizontal
        case 12: self = .both
        default: throw .malformed(field, "a horizontal swing")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .stopped: 0
        case .fixedLeft: 1
        case .fixedCenterLeft: 2
        case .fixedCenter: 3
        case .fixedCenterRight: 4
        case .fixedRight: 5
        case .fixedLeftRight: 6
        case .rangeCenter: 7
        case .rangeFull: 8
        case .rangeLeft: 9
        case .rangeRight: 10
        case .horizontal: 11
        case .both: 12
        }
    }
}

/// The display.
public enum Light: UInt8, CaseIterable, Hashable, Sendable {
    /// The brightness of that name in Sensibo's API.
    case on
    case off
    /// Dimmed; air purifiers only.
    case dim
}

extension Light {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 0: self = .on
        case 1: self = .off
        case 2: self = .dim
        default: throw .malformed(field, "a light")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .on: 0
        case .off: 1
        case .dim: 2
        }
    }
}

/// The unit of a temperature.
public enum TemperatureUnit: UInt8, CaseIterable, Hashable, Sendable {
    case celsius
    case fahrenheit
}

extension TemperatureUnit {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 0: self = .celsius
        case 1: self = .fahrenheit
        default: throw .malformed(field, "a unit of temperature")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .celsius: 0
        case .fahrenheit: 1
        }
    }
}

extension ProductModel {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .sky
        case 2: self = .airPro
        case 3: self = .pure
        case 4: self = .elements
        default: throw .malformed(field, "a model")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .sky: 1
        case .airPro: 2
        case .pure: 3
        case .elements: 4
        }
    }
}

extension RemoteKind {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 0: self = .discrete
        case 1: self = .toggle
        default: throw .malformed(field, "a kind of remote")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .discrete: 0
        case .toggle: 1
        }
    }
}

extension AirConditionerKind {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 0: self = .split
        case 1: self = .basic
        case 2: self = .window
        case 3: self = .fahrenheit
        default: throw .malformed(field, "a kind of air conditioner")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .split: 0
        case .basic: 1
        case .window: 2
        case .fahrenheit: 3
        }
    }
}

/// The cause of a device's change.
public enum ChangeCause: UInt8, CaseIterable, Hashable, Sendable {
    /// A user's request, whose outcome names the user; also the default.
    case request
    /// A user's correction of the assumed state: no signal was sent.
    case correction
    case handRemote
    /// The app, which is not one of the controller's clients.
    case app
    /// Climate React, triggered by a measurement of the pod.
    case climateReact
    case timer
    case schedule
}

extension ChangeCause {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 0: self = .request
        case 1: self = .correction
        case 2: self = .handRemote
        case 3: self = .app
        case 4: self = .climateReact
        case 5: self = .timer
        case 6: self = .schedule
        default: throw .malformed(field, "what makes a device change")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .request: 0
        case .correction: 1
        case .handRemote: 2
        case .app: 3
        case .climateReact: 4
        case .timer: 5
        case .schedule: 6
        }
    }
}

extension ClimateReact {
    /// The measurement that Climate React uses.
    public enum Measure: UInt8, CaseIterable, Hashable, Sendable {
        /// The measurement of that name in Sensibo's API.
        case temperature
        case humidity
        case feelsLike
    }
}

extension ClimateReact.Measure {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 0: self = .temperature
        case 1: self = .humidity
        case 2: self = .feelsLike
        default: throw .malformed(field, "temperature, humidity or how warm it feels")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .temperature: 0
        case .humidity: 1
        case .feelsLike: 2
        }
    }
}

extension PureBoost {
    /// The sensitivity to bad air.
    public enum Sensitivity: UInt8, CaseIterable, Hashable, Sendable {
        /// The sensitivity of that name in Sensibo's API.
        case normal
        case sensitive
    }
}

extension PureBoost.Sensitivity {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 0: self = .normal
        case 1: self = .sensitive
        default: throw .malformed(field, "normal or sensitive")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .normal: 0
        case .sensitive: 1
        }
    }
}

/// The reason why the outcome of a request cannot be determined.
public enum UndeterminedReason: UInt8, CaseIterable, Hashable, Sendable {
    /// The device lost its memory before it could report a result.
    case deviceReset
    /// The device stayed offline for the whole retention.
    case deviceGone
    /// The controller's journal was rolled back, and lacks later commands to the device or possibly this one.
    case superseded
}

extension UndeterminedReason {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .deviceReset
        case 2: self = .deviceGone
        case 3: self = .superseded
        default: throw .malformed(field, "a reason")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .deviceReset: 1
        case .deviceGone: 2
        case .superseded: 3
        }
    }
}

extension RefusalKind {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .offline
        case 2: self = .busy
        case 3: self = .unauthenticated
        case 4: self = .notFound
        case 5: self = .invalid
        case 6: self = .idMismatch
        case 7: self = .idTooOld
        case 8: self = .notAllowed
        case 9: self = .moved
        default: throw .malformed(field, "a refusal")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .offline: 1
        case .busy: 2
        case .unauthenticated: 3
        case .notFound: 4
        case .invalid: 5
        case .idMismatch: 6
        case .idTooOld: 7
        case .notAllowed: 8
        case .moved: 9
        }
    }
}

/// The reason why an enforced roster refuses a user who is neither on duty nor an owner.
public enum OffDuty: UInt8, CaseIterable, Hashable, Sendable {
    /// The account has no shifts.
    case noRoster
    /// No user is on duty now.
    case noShift
    /// Other users are on duty.
    case others
}

extension OffDuty {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .noRoster
        case 2: self = .noShift
        case 3: self = .others
        default: throw .malformed(field, "why nobody may")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .noRoster: 1
        case .noShift: 2
        case .others: 3
        }
    }
}

extension Presence {
    /// The reason for being offline.
    public enum Reason: UInt8, CaseIterable, Hashable, Sendable {
        /// The device reported that it lost its connection.
        case disconnected
        /// Its node stopped in an orderly way.
        case nodeLeft
        case nodeLost
    }
}

extension Presence.Reason {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .disconnected
        case 2: self = .nodeLeft
        case 3: self = .nodeLost
        default: throw .malformed(field, "a reason")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .disconnected: 1
        case .nodeLeft: 2
        case .nodeLost: 3
        }
    }
}

/// The kind of a command, without its parameters.
public enum CommandKind: UInt8, CaseIterable, Hashable, Sendable {
    /// Switches the device off if it is on, and on if it is off.
    case toggle
    /// An absolute change of the device's state.
    case set
    /// An absolute change of what the device assumes, without a signal.
    case correct
    /// A change of the device's automatic settings.
    case configure
}

extension CommandKind {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .toggle
        case 2: self = .set
        case 3: self = .correct
        case 4: self = .configure
        default: throw .malformed(field, "a kind of command")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .toggle: 1
        case .set: 2
        case .correct: 3
        case .configure: 4
        }
    }
}

extension RequestID: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var high = UInt64(0)
        var low = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(fixed: &high)
            case 2: try fields.read(fixed: &low)
            default: break
            }
        }
        self.init(high: high, low: low)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, fixed: high)
        fields.put(2, fixed: low)
    }
}

extension DeviceGroup: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var model = UInt32(0)
        var site = ""
        var firmware = ""
        var remote = UInt32(0)
        var climateReact: FieldReader?
        var airConditioner = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&model)
            case 2: try fields.read(&site)
            case 3: try fields.read(&firmware)
            case 4: try fields.read(&remote)
            case 8: try fields.read(&climateReact)
            case 9: try fields.read(&airConditioner)
            default: break
            }
        }
        self.init(
            model: try ProductModel(wire: model, field: "model"),
            site: try site.checked(bytes: Limits.nameBytes, field: "site"),
            firmware: try firmware.checked(bytes: Limits.nameBytes, field: "firmware"),
            remote: try RemoteKind(wire: remote, field: "remote"),
            airConditioner: try AirConditionerKind(wire: airConditioner, field: "air_conditioner"),
            climateReact: try climateReact.map { value throws(WireError) in try ClimateReact(wire: value) })
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, model.wire)
        fields.put(2, site)
        fields.put(3, firmware)
        fields.put(4, remote.wire)
        if let value = climateReact { fields.put(8, value) }
        fields.put(9, airConditioner.wire)
    }
}

extension SnapshotChunk {
    /// A group with its number within the account, valid for one epoch.
    public struct Group: Hashable, Sendable {
        /// From 1.
        public let number: GroupNumber
        public let group: DeviceGroup

        public init(number: GroupNumber, group: DeviceGroup) {
            self.number = number
            self.group = group
        }
    }
}

extension SnapshotChunk.Group: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var number = UInt32(0)
        var group: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&number)
            case 2: try fields.read(&group)
            default: break
            }
        }
        self.init(
            number: try GroupNumber(wire: number, field: "group"),
            group: try DeviceGroup(wire: group.required("group.group")))
        try verify()
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, number.wire)
        fields.put(2, group)
    }
}

extension ACState: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var on = false
        var mode = UInt32(0)
        var targetTemperature = Int32(0)
        var fanLevel = UInt32(0)
        var swing = UInt32(0)
        var horizontalSwing = UInt32(0)
        var light = UInt32(0)
        var temperatureUnit = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&on)
            case 2: try fields.read(&mode)
            case 3: try fields.read(&targetTemperature)
            case 4: try fields.read(&fanLevel)
            case 5: try fields.read(&swing)
            case 6: try fields.read(&horizontalSwing)
            case 7: try fields.read(&light)
            case 8: try fields.read(&temperatureUnit)
            default: break
            }
        }
        self.init(
            isOn: on,
            mode: try ACMode(wire: mode, field: "mode"),
            targetTemperature: try Int8(wire: targetTemperature, field: "target_temperature"),
            temperatureUnit: try TemperatureUnit(wire: temperatureUnit, field: "temperature_unit"),
            fanLevel: try FanLevel(wire: fanLevel, field: "fan_level"),
            swing: try Swing(wire: swing, field: "swing"),
            horizontalSwing: try HorizontalSwing(wire: horizontalSwing, field: "horizontal_swing"),
            light: try Light(wire: light, field: "light"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, isOn)
        fields.put(2, mode.wire)
        fields.put(3, targetTemperature)
        fields.put(4, fanLevel.wire)
        fields.put(5, swing.wire)
        fields.put(6, horizontalSwing.wire)
        fields.put(7, light.wire)
        fields.put(8, temperatureUnit.wire)
    }
}

extension ACStateChange: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var on: Bool?
        var mode: UInt32?
        var targetTemperature: Int32?
        var fanLevel: UInt32?
        var swing: UInt32?
        var horizontalSwing: UInt32?
        var light: UInt32?
        var temperatureUnit: UInt32?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&on)
            case 2: try fields.read(&mode)
            case 3: try fields.read(&targetTemperature)
            case 4: try fields.read(&fanLevel)
            case 5: try fields.read(&swing)
            case 6: try fields.read(&horizontalSwing)
            case 7: try fields.read(&light)
            case 8: try fields.read(&temperatureUnit)
            default: break
            }
        }
        self.init(
            isOn: on,
            mode: try mode.map { value throws(WireError) in try ACMode(wire: value, field: "mode") },
            targetTemperature: try targetTemperature.map { value throws(WireError) in try Int8(wire: value, field: "target_temperature") },
            temperatureUnit: try temperatureUnit.map { value throws(WireError) in try TemperatureUnit(wire: value, field: "temperature_unit") },
            fanLevel: try fanLevel.map { value throws(WireError) in try FanLevel(wire: value, field: "fan_level") },
            swing: try swing.map { value throws(WireError) in try Swing(wire: value, field: "swing") },
            horizontalSwing: try horizontalSwing.map { value throws(WireError) in try HorizontalSwing(wire: value, field: "horizontal_swing") },
            light: try light.map { value throws(WireError) in try Light(wire: value, field: "light") })
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, optional: isOn)
        fields.put(2, optional: mode?.wire)
        fields.put(3, optional: targetTemperature)
        fields.put(4, optional: fanLevel?.wire)
        fields.put(5, optional: swing?.wire)
        fields.put(6, optional: horizontalSwing?.wire)
        fields.put(7, optional: light?.wire)
        fields.put(8, optional: temperatureUnit?.wire)
    }
}

extension ClimateReact: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var enabled = false
        var measure = UInt32(0)
        var low: FieldReader?
        var high: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&enabled)
            case 2: try fields.read(&measure)
            case 3: try fields.read(&low)
            case 4: try fields.read(&high)
            default: break
            }
        }
        self.init(
            isEnabled: enabled,
            measure: try ClimateReact.Measure(wire: measure, field: "measure"),
            low: try low.map { value throws(WireError) in try ClimateReact.Side(wire: value) },
            high: try high.map { value throws(WireError) in try ClimateReact.Side(wire: value) })
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, isEnabled)
        fields.put(2, measure.wire)
        if let value = low { fields.put(3, value) }
        if let value = high { fields.put(4, value) }
    }
}

extension ClimateReact.Side: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var threshold = Int32(0)
        var change: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&threshold)
            case 2: try fields.read(&change)
            default: break
            }
        }
        self.init(
            tenths: try Int16(wire: threshold, field: "threshold", expected: "-32768 to 32767 tenths"),
            change: try ACStateChange(wire: change.required("climate_react.change")))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, tenths)
        fields.put(2, change)
    }
}

/// A single future change of a device.
public struct DeviceTimer: Hashable, Sendable {
    /// The change to apply; absent settings keep their values.
    public let change: ACStateChange
    /// When it is due, Unix milliseconds.
    public let due: WallTime
    /// When it was set, Unix milliseconds; absent: unknown.
    public let createdAt: WallTime?

    public init(change: ACStateChange, due: WallTime, createdAt: WallTime? = nil) {
        self.change = change
        self.due = due
        self.createdAt = createdAt
    }
}

extension DeviceTimer: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var change: FieldReader?
        var dueMs = Int64(0)
        var createdMs: Int64?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&change)
            case 2: try fields.read(&dueMs)
            case 3: try fields.read(&createdMs)
            default: break
            }
        }
        self.init(
            change: try ACStateChange(wire: change.required("timer.change")),
            due: try WallTime(wire: dueMs, field: "timer.due_ms"),
            createdAt: try createdMs.map { value throws(WireError) in try WallTime(wire: value, field: "timer.created_ms") })
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, change)
        fields.put(2, due.wire)
        fields.put(3, optional: createdAt?.wire)
    }
}

extension FilterStatus: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var cleanedAtMs: Int64?
        var thresholdSeconds = UInt32(0)
        var recordedSeconds = 0.0
        var recordedAtMs = Int64(0)
        var secondsPerSecond = 0.0
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&cleanedAtMs)
            case 2: try fields.read(&thresholdSeconds)
            case 3: try fields.read(&recordedSeconds)
            case 4: try fields.read(&recordedAtMs)
            case 5: try fields.read(&secondsPerSecond)
            default: break
            }
        }
        self.init(
            cleanedAt: try cleanedAtMs.map { value throws(WireError) in try WallTime(wire: value, field: "cleaned_at_ms") },
            thresholdSeconds: thresholdSeconds,
            recordedSeconds: recordedSeconds,
            recordedAt: try WallTime(wire: recordedAtMs, field: "recorded_at_ms"),
            secondsPerSecond: secondsPerSecond)
        try verify()
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, optional: cleanedAt?.wire)
        fields.put(2, thresholdSeconds)
        fields.put(3, recordedSeconds)
        fields.put(4, recordedAt.wire)
        fields.put(5, secondsPerSecond)
    }
}

extension DeviceSettings: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var climateReact: FieldReader?
        var timer: FieldReader?
        var filter: FieldReader?
        var schedules: [DeviceSchedule] = []
        var calibration: FieldReader?
        var pureBoost: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&climateReact)
            case 2: try fields.read(&timer)
            case 3: try fields.read(&filter)
            case 4: try fields.read(&schedules)
            case 5: try fields.read(&calibration)
            case 6: try fields.read(&pureBoost)
            default: break
            }
        }
        guard schedules.count <= Limits.deviceSchedules else { throw .malformed("schedules", "at most \(Limits.deviceSchedules)") }
        self.init()
        self.climateReact = try climateReact.map { value throws(WireError) in try ClimateReact(wire: value) }
        self.timer = try timer.map { value throws(WireError) in try DeviceTimer(wire: value) }
        self.filter = try filter.map { value throws(WireError) in try FilterStatus(wire: value) }
        self.schedules = schedules
        self.calibration = try calibration.map { value throws(WireError) in try SensorCalibration(wire: value) }
        self.pureBoost = try pureBoost.map { value throws(WireError) in try PureBoost(wire: value) }
    }

    func write(to fields: inout FieldWriter) {
        if let value = climateReact { fields.put(1, value) }
        if let value = timer { fields.put(2, value) }
        if let value = filter { fields.put(3, value) }
        for value in schedules { fields.put(4, value) }
        if let value = calibration { fields.put(5, value) }
        if let value = pureBoost { fields.put(6, value) }
    }
}

/// Offsets that a pod adds to its sensors' measurements.
public struct SensorCalibration: Hashable, Sendable {
    /// Tenths of a degree Celsius, -100 to 100.
    public var deciCelsius: Int16
    /// Tenths of a percent of relative humidity, -100 to 100.
    public var humidityPermille: Int16

    public init(deciCelsius: Int16 = 0, humidityPermille: Int16 = 0) {
        self.deciCelsius = deciCelsius
        self.humidityPermille = humidityPermille
    }
}

extension SensorCalibration: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var temperature = Int32(0)
        var humidity = Int32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&temperature)
            case 2: try fields.read(&humidity)
            default: break
            }
        }
        let temperatureValue = try Int16(wire: temperature, field: "calibration", expected: "\(SensorCalibration.tenths.lowerBound) to \(SensorCalibration.tenths.upperBound) tenths")
        guard SensorCalibration.allows(temperatureValue) else { throw .malformed("calibration", "\(SensorCalibration.tenths.lowerBound) to \(SensorCalibration.tenths.upperBound) tenths") }
        let humidityValue = try Int16(wire: humidity, field: "calibration", expected: "\(SensorCalibration.tenths.lowerBound) to \(SensorCalibration.tenths.upperBound) tenths")
        guard SensorCalibration.allows(humidityValue) else { throw .malformed("calibration", "\(SensorCalibration.tenths.lowerBound) to \(SensorCalibration.tenths.upperBound) tenths") }
        self.init(deciCelsius: temperatureValue, humidityPermille: humidityValue)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, deciCelsius)
        fields.put(2, humidityPermille)
    }
}

extension PureBoost: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var enabled = false
        var sensitivity = UInt32(0)
        var integrations = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&enabled)
            case 2: try fields.read(&sensitivity)
            case 3: try fields.read(&integrations)
            default: break
            }
        }
        self.init(
            isEnabled: enabled,
            sensitivity: try PureBoost.Sensitivity(wire: sensitivity, field: "pure_boost.sensitivity"),
            integrations: try PureBoost.Integrations(wire: integrations, field: "pure_boost.integrations"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, isEnabled)
        fields.put(2, sensitivity.wire)
        fields.put(3, integrations.wire)
    }
}

/// A change at a time of day on certain days of the week.
public struct SchedulePlan: Hashable, Sendable {
    /// At least one setting.
    public let change: ACStateChange
    /// Local time in the time zone, 0 to 1,439.
    public let time: LocalTime
    /// A bit for each day, at least one: 1 Monday, 2 Tuesday, up to 64 Sunday.
    public let weekdays: Weekdays
    /// A name of the IANA Time Zone Database, such as Europe/Oslo: 1 to 32 characters of [A-Za-z0-9_+/-], the first a
    /// letter. The device's node decides which names exist.
    public let zone: TimeZoneName

    public init(change: ACStateChange, time: LocalTime, weekdays: Weekdays, zone: TimeZoneName) {
        self.change = change
        self.time = time
        self.weekdays = weekdays
        self.zone = zone
    }
}

extension SchedulePlan: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var change: FieldReader?
        var minuteOfDay = UInt32(0)
        var weekdays = UInt32(0)
        var timeZone = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&change)
            case 2: try fields.read(&minuteOfDay)
            case 3: try fields.read(&weekdays)
            case 4: try fields.read(&timeZone)
            default: break
            }
        }
        let changeValue = try ACStateChange(wire: change.required("schedule.change"))
        guard !changeValue.isEmpty else { throw .malformed("schedule.change", "at least one setting") }
        self.init(
            change: changeValue,
            time: try LocalTime(wire: minuteOfDay, field: "schedule.minute_of_day"),
            weekdays: try Weekdays(wire: weekdays, field: "schedule.weekdays"),
            zone: try TimeZoneName(wire: timeZone, field: "schedule.time_zone", expected: "1 to \(Limits.timeZoneBytes) characters of [A-Za-z0-9_+/-], the first a letter"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, change)
        fields.put(2, time.wire)
        fields.put(3, weekdays.wire)
        fields.put(4, zone.wire)
    }
}

extension DeviceSchedule: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var id = ""
        var plan: FieldReader?
        var enabled = false
        var createdMs = Int64(0)
        var dueMs = Int64(0)
        var calendarDueMs = Int64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&plan)
            case 3: try fields.read(&enabled)
            case 4: try fields.read(&createdMs)
            case 5: try fields.read(&dueMs)
            case 6: try fields.read(&calendarDueMs)
            default: break
            }
        }
        self.init(
            id: try ScheduleID(wire: id, field: "schedule.id"),
            plan: try SchedulePlan(wire: plan.required("schedule.plan")),
            isEnabled: enabled,
            createdAt: try WallTime(wire: createdMs, field: "schedule.created_ms"),
            due: try WallTime(wire: dueMs, field: "schedule.due_ms"),
            calendarDue: try WallTime(wire: calendarDueMs, field: "schedule.calendar_due_ms"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, id.wire)
        fields.put(2, plan)
        fields.put(3, isEnabled)
        fields.put(4, createdAt.wire)
        fields.put(5, due.wire)
        fields.put(6, calendarDue.wire)
    }
}

extension RowSettings: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var row = UInt32(0)
        var settings: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&row)
            case 2: try fields.read(&settings)
            default: break
            }
        }
        self.init(row, try DeviceSettings(wire: settings.required("settings")))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, row)
        fields.put(2, settings)
    }
}

/// A user's change of a device's settings.
public enum SettingChange: Hashable, Sendable {
    /// Changes the state when a measurement crosses a threshold.
    case climateReact(ClimateReact)
    /// Enables or disables Climate React, without other changes.
    case climateReactEnabled(Bool)
    /// Sets the device's timer, and replaces an existing one.
    /// - `change`: At least one setting.
    /// - `afterSeconds`: Simulated seconds after the device receives it, 1 to 86,400.
    case timer(ACStateChange, afterSeconds: UInt32)
    case noTimer
    case filterCleaned
    /// Sets the cleaning threshold in simulated seconds of running time, 3,600 to 100,000,000.
    /// - `seconds`: Simulated seconds of running, 3,600 to 100,000,000.
    case filterThreshold(seconds: UInt32)
    /// Adds a schedule, or replaces the one with that ID.
    case schedule(ScheduleID, SchedulePlan)
    /// Enables or disables a schedule; the plan is unchanged.
    case scheduleEnabled(ScheduleID, Bool)
    case noSchedule(ScheduleID)
    /// At least one field, as in SensorCalibration; an absent field is unchanged.
    case calibration(deciCelsius: Int16?, humidityPermille: Int16?)
    /// How the fan of a Sensibo Pure follows air quality.
    case pureBoost(PureBoost)
}

extension SettingChange: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var change: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...11: try fields.read(&change)
            default: break
            }
        }
        self = try SettingChange(wire: change.required("setting"))
    }
}

extension SettingChange {
    /// The case that the message in `SettingChange.change` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1: self = .climateReact(try ClimateReact(wire: choice.message))
        case 2: self = .climateReactEnabled(try ClimateReactSwitchFields.read(choice.message))
        case 3:
            let (change, afterSeconds) = try TimerSettingFields.read(choice.message)
            self = .timer(change, afterSeconds: afterSeconds)
        case 4: self = .noTimer
        case 5: self = .filterCleaned
        case 6: self = .filterThreshold(seconds: try FilterThresholdFields.read(choice.message))
        case 7:
            let (id, plan) = try ScheduleSettingFields.read(choice.message)
            self = .schedule(id, plan)
        case 8:
            let (id, isEnabled) = try ScheduleSwitchFields.read(choice.message)
            self = .scheduleEnabled(id, isEnabled)
        case 9: self = .noSchedule(try ScheduleRemovalFields.read(choice.message))
        case 10:
            let (deciCelsius, humidityPermille) = try CalibrationSettingFields.read(choice.message)
            self = .calibration(deciCelsius: deciCelsius, humidityPermille: humidityPermille)
        default: self = .pureBoost(try PureBoost(wire: choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .climateReact(let value): fields.put(1, value)
        case .climateReactEnabled(let isEnabled): fields.put(2) { ClimateReactSwitchFields.write(isEnabled, into: &$0) }
        case .timer(let change, let afterSeconds): fields.put(3) { TimerSettingFields.write(change, afterSeconds, into: &$0) }
        case .noTimer: fields.put(4) { _ in }
        case .filterCleaned: fields.put(5) { _ in }
        case .filterThreshold(let seconds): fields.put(6) { FilterThresholdFields.write(seconds, into: &$0) }
        case .schedule(let id, let plan): fields.put(7) { ScheduleSettingFields.write(id, plan, into: &$0) }
        case .scheduleEnabled(let id, let isEnabled): fields.put(8) { ScheduleSwitchFields.write(id, isEnabled, into: &$0) }
        case .noSchedule(let id): fields.put(9) { ScheduleRemovalFields.write(id, into: &$0) }
        case .calibration(let deciCelsius, let humidityPermille): fields.put(10) { CalibrationSettingFields.write(deciCelsius, humidityPermille, into: &$0) }
        case .pureBoost(let value): fields.put(11, value)
        }
    }
}

/// The fields of `ClimateReactSwitch`.
enum ClimateReactSwitchFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> Bool {
        var enabled = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&enabled)
            default: break
            }
        }
        return enabled
    }

    static func write(
        _ isEnabled: Bool, into fields: inout FieldWriter
    ) {
        fields.put(1, isEnabled)
    }
}

/// The fields of `TimerSetting`.
enum TimerSettingFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (ACStateChange, UInt32) {
        var afterSeconds = UInt32(0)
        var change: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&afterSeconds)
            case 2: try fields.read(&change)
            default: break
            }
        }
        guard SettingChange.timerSeconds.contains(afterSeconds) else { throw .malformed("timer.after_seconds", "\(SettingChange.timerSeconds.lowerBound) to \(SettingChange.timerSeconds.upperBound)") }
        let changeValue = try ACStateChange(wire: change.required("timer.change"))
        guard !changeValue.isEmpty else { throw .malformed("timer.change", "at least one setting") }
        return (changeValue, afterSeconds)
    }

    static func write(
        _ change: ACStateChange, _ afterSeconds: UInt32, into fields: inout FieldWriter
    ) {
        fields.put(1, afterSeconds)
        fields.put(2, change)
    }
}

/// The fields of `FilterThreshold`.
enum FilterThresholdFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> UInt32 {
        var seconds = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&seconds)
            default: break
            }
        }
        guard SettingChange.filterSeconds.contains(seconds) else { throw .malformed("filter_threshold.seconds", "\(SettingChange.filterSeconds.lowerBound) to \(SettingChange.filterSeconds.upperBound)") }
        return seconds
    }

    static func write(
        _ seconds: UInt32, into fields: inout FieldWriter
    ) {
        fields.put(1, seconds)
    }
}

/// The fields of `ScheduleSetting`.
enum ScheduleSettingFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (ScheduleID, SchedulePlan) {
        var id = ""
        var plan: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&plan)
            default: break
            }
        }
        return (try ScheduleID(wire: id, field: "schedule.id"), try SchedulePlan(wire: plan.required("schedule.plan")))
    }

    static func write(
        _ id: ScheduleID, _ plan: SchedulePlan, into fields: inout FieldWriter
    ) {
        fields.put(1, id.wire)
        fields.put(2, plan)
    }
}

/// The fields of `ScheduleSwitch`.
enum ScheduleSwitchFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (ScheduleID, Bool) {
        var id = ""
        var enabled = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&enabled)
            default: break
            }
        }
        return (try ScheduleID(wire: id, field: "schedule.id"), enabled)
    }

    static func write(
        _ id: ScheduleID, _ isEnabled: Bool, into fields: inout FieldWriter
    ) {
        fields.put(1, id.wire)
        fields.put(2, isEnabled)
    }
}

/// The fields of `ScheduleRemoval`.
enum ScheduleRemovalFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> ScheduleID {
        var id = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            default: break
            }
        }
        return try ScheduleID(wire: id, field: "schedule.id")
    }

    static func write(
        _ id: ScheduleID, into fields: inout FieldWriter
    ) {
        fields.put(1, id.wire)
    }
}

/// The fields of `CalibrationSetting`.
enum CalibrationSettingFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (Int16?, Int16?) {
        var temperature: Int32?
        var humidity: Int32?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&temperature)
            case 2: try fields.read(&humidity)
            default: break
            }
        }
        let temperatureValue = try temperature.map { value throws(WireError) in try Int16(wire: value, field: "calibration", expected: "\(SensorCalibration.tenths.lowerBound) to \(SensorCalibration.tenths.upperBound) tenths") }
        guard SensorCalibration.allows(temperatureValue) else { throw .malformed("calibration", "\(SensorCalibration.tenths.lowerBound) to \(SensorCalibration.tenths.upperBound) tenths") }
        let humidityValue = try humidity.map { value throws(WireError) in try Int16(wire: value, field: "calibration", expected: "\(SensorCalibration.tenths.lowerBound) to \(SensorCalibration.tenths.upperBound) tenths") }
        guard SensorCalibration.allows(humidityValue) else { throw .malformed("calibration", "\(SensorCalibration.tenths.lowerBound) to \(SensorCalibration.tenths.upperBound) tenths") }
        guard temperature != nil || humidity != nil else {
            throw .malformed("calibration", "a temperature or a humidity")
        }
        return (temperatureValue, humidityValue)
    }

    static func write(
        _ deciCelsius: Int16?, _ humidityPermille: Int16?, into fields: inout FieldWriter
    ) {
        fields.put(1, optional: deciCelsius)
        fields.put(2, optional: humidityPermille)
    }
}

/// A version, and the incarnation that it belongs to.
public struct Expectation: Hashable, Sendable {
    /// The incarnation of the device's memory that the version belongs to.
    public let incarnation: Incarnation
    public let version: Version

    public init(incarnation: Incarnation, version: Version) {
        self.incarnation = incarnation
        self.version = version
    }
}

extension Expectation: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var incarnation = UInt64(0)
        var version = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(fixed: &incarnation)
            case 2: try fields.read(&version)
            default: break
            }
        }
        self.init(
            incarnation: try Incarnation(wire: incarnation, field: "expected.incarnation"),
            version: try Version(wire: version, field: "expected.version"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, fixed: incarnation.wire)
        fields.put(2, version.wire)
    }
}

extension Outcome: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var kind = UInt32(0)
        var state: FieldReader?
        var version = UInt64(0)
        var incarnation = UInt64(0)
        var rejection = ""
        var undetermined = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&kind)
            case 2: try fields.read(&state)
            case 3: try fields.read(&version)
            case 4: try fields.read(fixed: &incarnation)
            case 5: try fields.read(&rejection)
            case 6: try fields.read(&undetermined)
            default: break
            }
        }
        let kindValue: Outcome
        switch kind {
        case 1: kindValue = .applied(DeviceState(state: try ACState(wire: state.required("outcome.state")), version: try Version(wire: version, field: "version"), incarnation: try Incarnation(wire: incarnation, field: "outcome.incarnation")))
        case 2: kindValue = .unchanged(DeviceState(state: try ACState(wire: state.required("outcome.state")), version: try Version(wire: version, field: "version"), incarnation: try Incarnation(wire: incarnation, field: "outcome.incarnation")))
        case 3: kindValue = .conflict(DeviceState(state: try ACState(wire: state.required("outcome.state")), version: try Version(wire: version, field: "version"), incarnation: try Incarnation(wire: incarnation, field: "outcome.incarnation")))
        case 4: kindValue = .rejected(try rejection.checked(bytes: Limits.explanationBytes, field: "rejection"))
        case 5: kindValue = .cancelled
        case 6: kindValue = .expired
        case 7: kindValue = .undetermined(try UndeterminedReason(wire: undetermined, field: "outcome.undetermined"))
        case 8: kindValue = .unknown
        default: throw .malformed("outcome.kind", "an outcome")
        }
        self = kindValue
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .applied(let deviceState):
            fields.put(1, UInt32(1))
            fields.put(2, deviceState.state)
            fields.put(3, deviceState.version.wire)
            fields.put(4, fixed: deviceState.incarnation.wire)
        case .unchanged(let deviceState):
            fields.put(1, UInt32(2))
            fields.put(2, deviceState.state)
            fields.put(3, deviceState.version.wire)
            fields.put(4, fixed: deviceState.incarnation.wire)
        case .conflict(let deviceState):
            fields.put(1, UInt32(3))
            fields.put(2, deviceState.state)
            fields.put(3, deviceState.version.wire)
            fields.put(4, fixed: deviceState.incarnation.wire)
        case .rejected(let rejection):
            fields.put(1, UInt32(4))
            fields.put(5, rejection.cut(toBytes: Limits.explanationBytes))
        case .cancelled:
            fields.put(1, UInt32(5))
        case .expired:
            fields.put(1, UInt32(6))
        case .undetermined(let undetermined):
            fields.put(1, UInt32(7))
            fields.put(6, undetermined.wire)
        case .unknown:
            fields.put(1, UInt32(8))
        }
    }
}

/// The fields of `Refusal`.
enum RefusalFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (kind: RefusalKind, lastSeen: WallTime?, retryAfter: Duration, behind: Duration, what: String, offDuty: OffDuty?, isStorageFull: Bool, cell: CellName?) {
        var kind = UInt32(0)
        var lastSeenMs = Int64(0)
        var retryAfterMs = UInt32(0)
        var behindMs = Int64(0)
        var what = ""
        var offDuty = UInt32(0)
        var storageFull = false
        var cell = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&kind)
            case 2: try fields.read(&lastSeenMs)
            case 3: try fields.read(&retryAfterMs)
            case 4: try fields.read(&behindMs)
            case 5: try fields.read(&what)
            case 6: try fields.read(&offDuty)
            case 7: try fields.read(&storageFull)
            case 8: try fields.read(&cell)
            default: break
            }
        }
        return (try RefusalKind(wire: kind, field: "refusal.kind"), try lastSeenMs == 0 ? nil : WallTime(wire: lastSeenMs, field: "refusal.last_seen_ms"), try Duration(wire: retryAfterMs, field: "refusal.retry_after_ms"), try Duration(wire: behindMs, field: "refusal.behind_ms"), try what.checked(bytes: Limits.explanationBytes, field: "refusal.what"), try offDuty == 0 ? nil : OffDuty(wire: offDuty, field: "refusal.off_duty"), storageFull, try cell.isEmpty ? nil : CellName(wire: cell, field: "refusal.cell"))
    }

    static func write(
        kind: RefusalKind, lastSeen: WallTime? = nil, retryAfter: Duration = .zero, behind: Duration = .zero, what: String = "", offDuty: OffDuty? = nil, isStorageFull: Bool = false, cell: CellName? = nil, into fields: inout FieldWriter
    ) {
        fields.put(1, kind.wire)
        if let value = lastSeen { fields.put(2, value.wire) }
        fields.put(3, UInt32(clamping: retryAfter.wholeMilliseconds))
        fields.put(4, behind.wholeMilliseconds)
        fields.put(5, what.cut(toBytes: Limits.explanationBytes))
        if let value = offDuty { fields.put(6, value.wire) }
        fields.put(7, isStorageFull)
        if let value = cell { fields.put(8, value.wire) }
    }
}

extension Presence: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var kind = UInt32(0)
        var reason = UInt32(0)
        var sinceMs = Int64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&kind)
            case 2: try fields.read(&reason)
            case 3: try fields.read(&sinceMs)
            default: break
            }
        }
        let kindValue: Presence.Kind
        switch kind {
        case 1: kindValue = .online
        case 2: kindValue = .stale
        case 3: kindValue = .offline(try Presence.Reason(wire: reason, field: "presence.reason"))
        case 4: kindValue = .unknown
        default: throw .malformed("presence.kind", "a presence")
        }
        self.init(kindValue, since: try WallTime(wire: sinceMs, field: "presence.since_ms"))
    }

    func write(to fields: inout FieldWriter) {
        switch kind {
        case .online:
            fields.put(1, UInt32(1))
        case .stale:
            fields.put(1, UInt32(2))
        case .offline(let reason):
            fields.put(1, UInt32(3))
            fields.put(2, reason.wire)
        case .unknown:
            fields.put(1, UInt32(4))
        }
        fields.put(3, since.wire)
    }
}

extension MeasuredDevices: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var device: [DeviceID] = []
        var measurements = MeasurementColumns()
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device, field: "device")
            case 2...5: try measurements.read(field - 2, of: &fields)
            default: break
            }
        }
        guard
            measurements.areOfLength(device.count)
        else { throw .malformed("measured", "columns of one length") }
        guard device.count <= Limits.chunkRows else {
            throw .malformed("measured", "at most \(Limits.chunkRows)")
        }
        var devicesValue: [MeasuredDevice] = []
        devicesValue.reserveCapacity(device.count)
        for index in device.indices {
            devicesValue.append(
                MeasuredDevice(
                    device: device[index],
                    measurements: try measurements.required(at: index)))
        }
        self.init(devicesValue)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, devices: devices.count) { devices[$0].device }
        MeasurementColumns.write(devices.count, from: 2, to: &fields) { devices[$0].measurements }
    }
}

extension OutcomeReport: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var requestID: FieldReader?
        var device = ""
        var outcome: FieldReader?
        var user = ""
        var versionBefore = UInt64(0)
        var attempts = UInt32(0)
        var latencyUs = UInt64(0)
        var queueUs = UInt64(0)
        var wireUs = UInt64(0)
        var deviceUs = UInt64(0)
        var journalUs = UInt64(0)
        var command = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requestID)
            case 2: try fields.read(&device)
            case 3: try fields.read(&outcome)
            case 4: try fields.read(&user)
            case 5: try fields.read(&versionBefore)
            case 6: try fields.read(&attempts)
            case 7: try fields.read(&latencyUs)
            case 8: try fields.read(&queueUs)
            case 9: try fields.read(&wireUs)
            case 10: try fields.read(&deviceUs)
            case 11: try fields.read(&journalUs)
            case 12: try fields.read(&command)
            default: break
            }
        }
        self.init(
            requestID: try RequestID(wire: requestID.required("request_id")),
            device: try device.isEmpty ? nil : DeviceID(wire: device, field: "device"),
            outcome: try Outcome(wire: outcome.required("outcome")),
            user: try Email(wire: user, field: "user"),
            versionBefore: try Version(wire: versionBefore, field: "version_before"),
            attempts: attempts,
            command: try command == 0 ? nil : CommandKind(wire: command, field: "command"),
            timing: OutcomeReport.Timing(totalUs: latencyUs, queueUs: queueUs, wireUs: wireUs, deviceUs: deviceUs, journalUs: journalUs))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, requestID)
        if let value = device { fields.put(2, value) }
        fields.put(3, outcome)
        fields.put(4, user.wire)
        fields.put(5, versionBefore.wire)
        fields.put(6, attempts)
        fields.put(7, timing.totalUs)
        fields.put(8, timing.queueUs)
        fields.put(9, timing.wireUs)
        fields.put(10, timing.deviceUs)
        fields.put(11, timing.journalUs)
        if let value = command { fields.put(12, value.wire) }
    }
}

extension NodeCounters: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var commands = UInt64(0)
        var results: [UInt64] = []
        var commandTime: FieldReader?
        var publishedRows = UInt64(0)
        var publishedMeasurements = UInt64(0)
        var rememberedEntries = UInt64(0)
        var refusedMessages = UInt64(0)
        var memoryBytes = UInt64(0)
        var longestTurnUs = UInt64(0)
        var timers = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&commands)
            case 2: try fields.read(&results)
            case 3: try fields.read(&commandTime)
            case 4: try fields.read(&publishedRows)
            case 5: try fields.read(&publishedMeasurements)
            case 6: try fields.read(&rememberedEntries)
            case 7: try fields.read(&refusedMessages)
            case 8: try fields.read(&memoryBytes)
            case 9: try fields.read(&longestTurnUs)
            case 10: try fields.read(&timers)
            default: break
            }
        }
        guard results.isEmpty || results.count == Verdict.Kind.allCases.count else { throw .malformed("counters.results", "one for each of \(Verdict.Kind.allCases.count) verdicts") }
        self.init()
        self.commands = commands
        self.reportedResults = results
        self.commandTime = try commandTime.map { value throws(WireError) in try DurationCounts(wire: value) } ?? DurationCounts()
        self.publishedRows = publishedRows
        self.publishedMeasurements = publishedMeasurements
        self.rememberedEntries = rememberedEntries
        self.refusedMessages = refusedMessages
        self.memoryBytes = memoryBytes
        self.longestTurnUs = longestTurnUs
        self.timers = timers
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, commands)
        fields.put(2, column: reportedResults.count) { reportedResults[$0] }
        fields.put(3, commandTime)
        fields.put(4, publishedRows)
        fields.put(5, publishedMeasurements)
        fields.put(6, rememberedEntries)
        fields.put(7, refusedMessages)
        fields.put(8, memoryBytes)
        fields.put(9, longestTurnUs)
        fields.put(10, timers)
    }
}

extension DurationCounts: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var counts: [UInt64] = []
        var sumUs = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&counts)
            case 2: try fields.read(&sumUs)
            default: break
            }
        }
        guard let value = Self(counts: counts, sumUs: sumUs) else {
            throw .malformed("counters.command_time", "one count for each of \(Self.boundsUs.count + 1) buckets")
        }
        self = value
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, column: counts.count) { counts[$0] }
        fields.put(2, sumUs)
    }
}

extension ServiceMessage: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var service = ""
        var content: [UInt8] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&service)
            case 2: try fields.read(&content)
            default: break
            }
        }
        self.init(service: try ServiceName(wire: service, field: "service.service"), content: content)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, service.wire)
        fields.put(2, content)
    }
}
