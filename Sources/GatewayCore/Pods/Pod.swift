public import FleetProtocol
public import FleetReplica
public import UserText

/// A device, with all values of its pod object.
public struct Pod: Sendable {
    /// The times of the last changes of its state, as far back as the history goes.
    public struct ChangeTimes: Hashable, Sendable {
        /// The last change of any kind.
        public var last: WallTime?
        var toOn: WallTime?
        var toOff: WallTime?

        public init(last: WallTime? = nil, toOn: WallTime? = nil, toOff: WallTime? = nil) {
            (self.last, self.toOn, self.toOff) = (last, toOn, toOff)
        }
    }

    public let device: DeviceID
    /// Its display name, not validated: it may contain any characters.
    public let name: String
    public internal(set) var reported: DeviceState
    /// The time at which the controller received its state.
    public internal(set) var asOf: WallTime
    public internal(set) var presence: Presence
    /// The group with its model and capabilities; nil if unknown, which makes it a Sky.
    public let group: DeviceGroup?
    public internal(set) var measured: SnapshotChunk.Measured?
    public let settings: DeviceSettings?
    /// The pod in the file that the fleet began with; nil for a device that is not from a file.
    let record: PodRecord?
    public internal(set) var changes: ChangeTimes
    public internal(set) var run: RunningTime

    /// What tests have set of its room.
    var room = RoomSettings.Course()
    var flaws: [CloudFault.PodKey: PodFlaw] = [:]
    /// Whether changes of it fail at once because of a cloud fault `failed`, even if the device is online.
    public var isCutOff = false
    /// Whether changes of its state fail with `noSuchRemoteCommand` because of a cloud fault.
    public var lacksCode = false

    public init(
        device: DeviceID, name: String, reported: DeviceState, asOf: WallTime, presence: Presence,
        group: DeviceGroup? = nil, measured: SnapshotChunk.Measured? = nil, settings: DeviceSettings? = nil,
        record: PodRecord? = nil, changes: ChangeTimes = ChangeTimes(), run: RunningTime = RunningTime()
    ) {
        (self.device, self.name, self.reported) = (device, name, reported)
        (self.asOf, self.presence, self.group) = (asOf, presence, group)
        (self.measured, self.settings, self.changes, self.run) = (measured, settings, changes, run)
        self.record = record
    }

    public var model: ProductModel { group?.model ?? .sky }
    var capabilities: Capabilities { record?.pod.capabilities ?? group?.capabilities ?? model.capabilities() }

    /// The ID in the API: that of the device, unless a file has another.
    public var id: String { record?.id ?? device.description }

    func writeID(to json: inout JSONWriter) {
        json.plain { if let id = record?.id { $0 += id.utf8 } else { device.append(to: &$0) } }
    }

    public var state: ACState { reported.state }

    /// The Climate React that the pod's user has set, otherwise that of the scenario; nil for neither.
    public var climateReact: ClimateReact? { settings?.climateReact ?? group?.climateReact }

    /// Its Pure Boost, also before a user has set it; nil for a model without it.
    var pureBoost: PureBoost? { settings?.pureBoost ?? (model == .pure ? .usual : nil) }

    /// The time of its last state, measurement or disconnection.
    var lastSeen: WallTime {
        let received = max(asOf, measured?.at ?? asOf)
        return presence.reason == .disconnected ? max(received, presence.since) : received
    }

    public init(_ row: ReplicaRow, of replica: Replica, _ history: PodHistory) {
        self.init(
            device: row.device, name: row.name, reported: row.reported, asOf: row.asOf,
            presence: replica.node(of: row).presence(of: row), group: replica.group(of: row),
            measured: row.measured, settings: replica.settings(of: row.device),
            record: history.records[row.device], changes: history.changeTimes(of: row.device),
            run: history.runs.time(of: row))
        room = history.rooms.course(of: device)
    }

    public static func find(_ id: String, in replica: Replica, _ history: PodHistory) -> Pod? {
        guard let device = history.records.device(id), let row = replica.row(of: device) else { return nil }
        return Pod(row, of: replica, history)
    }

    /// The temperature unit of an account: Fahrenheit if it has air conditioners and all of them use that,
    /// otherwise Celsius.
    public static func temperatureUnit(of replica: Replica) -> TemperatureUnit {
        func isRead(_ unit: TemperatureUnit) -> Bool {
            replica.firstRow { row in
                let model = replica.group(of: row)?.model ?? .sky
                return row.reported.state.temperatureUnit == unit && model.switchesAirConditioner
            } != nil
        }
        return !isRead(.celsius) && isRead(.fahrenheit) ? .fahrenheit : .celsius
    }

    /// The fault in a key of the pod object; nil without one.
    func flaw(of field: PodField) -> PodFlaw? {
        guard !flaws.isEmpty else { return nil }
        return CloudFault.PodKey(field).flatMap { flaws[$0] }
    }

    /// All pods of a replica, in the order of the controller's slots; those of a file first, in its order.
    public static func all(of replica: Replica, _ history: PodHistory) -> [Pod] {
        var pods: [Pod] = []
        pods.reserveCapacity(replica.deviceCount)
        replica.forEachRow { pods.append(Pod($0, of: replica, history)) }
        guard !history.records.isEmpty else { return pods }
        pods.sort { $0.record?.place ?? .max < $1.record?.place ?? .max }
        return pods
    }
}

extension StateChange {
    /// The change to a device's current state in a replica, at the time at which the controller received it.
    public init(toStateOf row: ReplicaRow) {
        self.init(of: row.device, to: row.reported, from: row.before, by: row.cause, at: row.asOf)
    }
}

/// The keys of Sensibo's pod object, in the order in which they are written.
enum PodField: String, CaseIterable, Sendable {
    case id, macAddress, serial, qrId, room, productModel
    case firmwareVersion, firmwareType, currentlyAvailableFirmwareVersion, configGroup
    case temperatureUnit, connectionStatus, acState
    case lastStateChange, lastStateChangeToOn, lastStateChangeToOff
    case measurements, remoteCapabilities, remote, remoteFlavor, remoteAlternatives, sensiboRemote
    case smartMode, timer, schedules, filtersCleaning, sensorsCalibration, location
    case motionSensors, mainMeasurementsSensor, roomIsOccupied, motionConfig, doorConfig
    case pureBoostConfig, antiMoldConfig, antiMoldTimer, autoOffEnabled, autoOffMinutes
    // Keys that no known client reads, with the values of a pod without optional features.
    case isOwner, restrictedMode, shareDevice, isCalibrating, homekitSupported
    case isGeofenceOnEnterEnabledForThisUser, isClimateReactGeofenceOnEnterEnabledForThisUser
    case isMotionGeofenceOnEnterEnabled, isGeofenceOnExitEnabled, isClimateReactGeofenceOnExitEnabled
    case isMotionGeofenceOnExitEnabled
    case minimumCoolingTemperature, maximumHeatingTemperature
    case tags, serviceSubscriptions, warrantyEligible, warrantyEligibleUntil, features, lastHealthcheck
    case accessPoint, powerConsumption, acType, lastRunEnergyConsumption, acUsage
    case optimusEnabled, optimusInsights, organization, hasPolicy
    case cleanFiltersNotificationEnabled, shouldShowFilterCleaningNotification

    /// The constant value, as JSON, of a key that does not depend on the pod.
    var absent: StaticString {
        switch self {
        case .remoteAlternatives, .tags, .serviceSubscriptions: "[]"
        case .autoOffEnabled, .restrictedMode, .shareDevice, .isCalibrating,
            .isGeofenceOnEnterEnabledForThisUser, .isClimateReactGeofenceOnEnterEnabledForThisUser,
            .isMotionGeofenceOnEnterEnabled, .isGeofenceOnExitEnabled, .isClimateReactGeofenceOnExitEnabled,
            .isMotionGeofenceOnExitEnabled, .optimusEnabled, .hasPolicy:
            "false"
        case .isOwner, .cleanFiltersNotificationEnabled: "true"
        case .features: "[\"softShowPlus\"]"
        case .accessPoint: "{\"ssid\":null,\"password\":null}"
        case .configGroup: "\"stable\""
        default: "null"
        }
    }
}

/// The keys of a pod object that a client requested.
public struct PodFields: Sendable, Equatable {
    public static let all = PodFields(fields: PodField.allCases)

    let fields: [PodField]
    /// The requested names, also those that only a file has; nil for all.
    private let names: Set<String>?

    private init(fields: [PodField], names: Set<String>? = nil) {
        (self.fields, self.names) = (fields, names)
    }

    func contains(_ name: String) -> Bool { names?.contains(name) ?? true }

    /// Parses the query parameter `fields`: `*` for all, or a list separated by commas; `id` by default.
    /// Unknown names are ignored, as Sensibo does.
    public init(query: String?) {
        var names = Set((query ?? "").split(separator: ",").map { $0.filter { $0 != " " } })
        if names.isEmpty { names = [PodField.id.rawValue] }
        let fields = PodField.allCases.filter { names.contains($0.rawValue) }
        self = names.contains("*") ? .all : PodFields(fields: fields, names: names)
    }
}

/// The names of settings as tables: computing the name of an enumeration case is slow.
enum SettingNames {
    private static let modes = ACMode.allCases.map(\.name)
    private static let fanLevels = FanLevel.allCases.map(\.name)
    private static let swings = Swing.allCases.map(\.name)
    private static let horizontalSwings = HorizontalSwing.allCases.map(\.name)
    private static let lights = Light.allCases.map(\.name)

    static func of(_ mode: ACMode) -> String { modes[Int(mode.rawValue)] }
    static func of(_ level: FanLevel) -> String { fanLevels[Int(level.rawValue)] }
    static func of(_ swing: Swing) -> String { swings[Int(swing.rawValue)] }
    static func of(_ swing: HorizontalSwing) -> String { horizontalSwings[Int(swing.rawValue)] }
    static func of(_ light: Light) -> String { lights[Int(light.rawValue)] }
}

/// The further identifiers of a pod, which all follow from its ID and never change.
struct PodIdentity {
    /// The number of possible IDs: 62⁸.
    private static let podNumbers: UInt64 = 218_340_105_584_896
    /// The unique number of this device; below ``podNumbers`` for a pod.
    private let number: UInt64

    init(of device: DeviceID) { number = device.index(inFleetOf: 0) }

    /// The identity of a pod's room sensor, with a number that no pod has.
    init(ofRoomSensorAt device: DeviceID) { number = device.index(inFleetOf: 0) + Self.podNumbers }

    /// Appends the serial number: fifteen digits, unique for each device.
    func appendSerial(to output: inout [UInt8]) { output.append(decimal: number, digits: 15) }

    /// Appends a locally administered MAC address (IEEE 802), from 46 bits of the number: collisions are
    /// unlikely among a million devices.
    func appendMACAddress(to output: inout [UInt8]) {
        let first = UInt8(truncatingIfNeeded: number >> 40) & 0xfc | 0x02
        output.append(hexadecimal: first)
        for shift in stride(from: UInt64(32), through: 0, by: -8) {
            output.append(UInt8(ascii: ":"))
            output.append(hexadecimal: UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// Appends the QR code: ten capital letters.
    func appendQRCode(to output: inout [UInt8]) {
        var rest = SeededGenerator.mixed(number)
        for _ in 0..<10 {
            output.append(UInt8(ascii: "A") + UInt8(rest % 26))
            rest /= 26
        }
    }
}

/// A hash of texts as ten letters and digits: the IDs of Sensibo's locations, timers and changes.
struct ShortID: Equatable, JSONWritable {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let length = 10

    private let mixed: UInt64

    init(_ words: UInt64...) { mixed = words.reduce(0) { SeededGenerator.mixed($0 ^ $1) } }

    func append(to output: inout [UInt8]) {
        var rest = mixed
        for _ in 0..<Self.length {
            output.append(Self.alphabet[Int(rest % 62)])
            rest /= 62
        }
    }

    func write(to json: inout JSONWriter) { json.plain { append(to: &$0) } }
}

extension [UInt8] {
    /// Appends a byte as two hexadecimal digits, in capitals.
    fileprivate mutating func append(hexadecimal byte: UInt8) {
        for digit in [byte >> 4, byte & 0xf] {
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
        }
    }
}
