public import FleetProtocol
public import FleetReplica
public import Stepping

/// One device with all that its pod object tells.
public struct Pod: Sendable {
    /// When its air conditioner was set to something else, as far as anybody remembers.
    public struct ChangeTimes: Hashable, Sendable {
        /// To anything.
        public var last: WallTime?
        /// From off to on.
        public var toOn: WallTime?
        /// From on to off.
        public var toOff: WallTime?

        /// Those times.
        public init(last: WallTime? = nil, toOn: WallTime? = nil, toOff: WallTime? = nil) {
            self.last = last
            self.toOn = toOn
            self.toOff = toOff
        }
    }

    /// The device.
    public let device: DeviceID
    /// Its name for people, as it was given: anything may be in it.
    public let name: String
    /// Its state.
    public internal(set) var reported: DeviceState
    /// When the controller heard of its state.
    public internal(set) var asOf: WallTime
    /// Whether it is there.
    public internal(set) var presence: Presence
    /// What it has in common with others; nil where nobody said, and then it is a Sky.
    public let group: DeviceGroup?
    /// What it measured last; nil when that was not heard of.
    public internal(set) var measured: SnapshotChunk.Measured?
    /// What it is set to do by itself; nil where that is nothing.
    public let settings: DeviceSettings?
    /// When it changed.
    public internal(set) var changes: ChangeTimes

    /// What is wrong with keys of its object.
    var flaws: [CloudFault.PodKey: PodFlaw] = [:]
    /// Whether changes of it fail at once, whether or not the cloud reaches it.
    public var isCutOff = false
    /// Whether changes of its state fail, for the cloud takes its remote to have no code for them.
    public var lacksCode = false

    /// The pod of those parts.
    public init(
        device: DeviceID, name: String, reported: DeviceState, asOf: WallTime, presence: Presence,
        group: DeviceGroup? = nil, measured: SnapshotChunk.Measured? = nil, settings: DeviceSettings? = nil,
        changes: ChangeTimes = ChangeTimes()
    ) {
        self.device = device
        self.name = name
        self.reported = reported
        self.asOf = asOf
        self.presence = presence
        self.group = group
        self.measured = measured
        self.settings = settings
        self.changes = changes
    }

    /// What it is sold as.
    public var model: ProductModel { group?.model ?? .sky }

    /// What it can be set to.
    var capabilities: Capabilities { group?.capabilities ?? model.capabilities() }

    /// What it is set to.
    public var state: ACState { reported.state }

    /// The Climate React that the pod's user has set, otherwise that of the scenario; nil for neither.
    public var climateReact: ClimateReact? { settings?.climateReact ?? group?.climateReact }

    /// When anything was heard of it last.
    var lastSeen: WallTime {
        let heard = max(asOf, measured?.at ?? asOf)
        return presence.reason == .disconnected ? max(heard, presence.since) : heard
    }
}

extension Pod {
    /// A pod as a replica has its row, with what is remembered of its changes.
    public init(_ row: ReplicaRow, of replica: Replica, _ history: PodHistory) {
        self.init(
            device: row.device, name: row.name, reported: row.reported, asOf: row.asOf,
            presence: replica.node(of: row).presence(of: row), group: replica.group(of: row),
            measured: row.measured, settings: replica.settings(of: row.device),
            changes: history.changeTimes(of: row.device))
    }

    /// The pod of that id, as a path has it; nil where there is none.
    public static func find(_ id: String, in replica: Replica, _ history: PodHistory) -> Pod? {
        guard let device = DeviceID(id), let row = replica.row(of: device) else { return nil }
        return Pod(row, of: replica, history)
    }

    /// The unit that the people of an account read: degrees Fahrenheit where every air conditioner is set to
    /// them, and there is one.
    public static func temperatureUnit(of replica: Replica) -> TemperatureUnit {
        func isRead(_ unit: TemperatureUnit) -> Bool {
            replica.firstRow { row in
                let model = replica.group(of: row)?.model ?? .sky
                return row.reported.state.temperatureUnit == unit && model.switchesAirConditioner
            } != nil
        }
        return !isRead(.celsius) && isRead(.fahrenheit) ? .fahrenheit : .celsius
    }

    /// All pods of a replica, in the order of the controller's slots.
    public static func all(of replica: Replica, _ history: PodHistory) -> [Pod] {
        var pods: [Pod] = []
        pods.reserveCapacity(replica.deviceCount)
        replica.forEachRow { pods.append(Pod($0, of: replica, history)) }
        return pods
    }
}

extension StateChange {
    /// How a device came to the state in a replica, at the time at which the controller received it.
    public init(toStateOf row: ReplicaRow) {
        self.init(
            of: row.device, to: row.reported, from: row.before, by: row.cause, at: row.asOf)
    }
}

/// What a pod object can have: the keys of Sensibo's, in the order in which they are written.
enum PodField: String, CaseIterable, Sendable {
    case id, macAddress, serial, qrId, room, productModel
    case firmwareVersion, firmwareType, currentlyAvailableFirmwareVersion, configGroup
    case temperatureUnit, connectionStatus, acState
    case lastStateChange, lastStateChangeToOn, lastStateChangeToOff
    case measurements, remoteCapabilities, remote, remoteFlavor, remoteAlternatives, sensiboRemote
    case smartMode, timer, schedules, filtersCleaning, sensorsCalibration, location
    case motionSensors, mainMeasurementsSensor, roomIsOccupied, motionConfig, doorConfig
    case pureBoostConfig, antiMoldConfig, antiMoldTimer, autoOffEnabled, autoOffMinutes
    // What no known client reads, and what a pod without extras says.
    case isOwner, restrictedMode, shareDevice, isCalibrating, homekitSupported
    case isGeofenceOnEnterEnabledForThisUser, isClimateReactGeofenceOnEnterEnabledForThisUser
    case isMotionGeofenceOnEnterEnabled, isGeofenceOnExitEnabled, isClimateReactGeofenceOnExitEnabled
    case isMotionGeofenceOnExitEnabled
    case minimumCoolingTemperature, maximumHeatingTemperature
    case tags, serviceSubscriptions, warrantyEligible, warrantyEligibleUntil, features, lastHealthcheck
    case accessPoint, powerConsumption, acType, lastRunEnergyConsumption, acUsage
    case optimusEnabled, optimusInsights, organization, hasPolicy
    case cleanFiltersNotificationEnabled, shouldShowFilterCleaningNotification

    /// What a pod without it says, of what does not depend on the pod.
    var absent: StaticString {
        switch self {
        case .remoteAlternatives, .tags, .serviceSubscriptions: "[]"
        case .autoOffEnabled, .restrictedMode, .shareDevice, .isCalibrating, .homekitSupported,
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

/// Which keys of a pod object somebody asked for.
public struct PodFields: Sendable, Equatable {
    /// All of them.
    public static let all = PodFields(fields: PodField.allCases)

    /// In the order in which they are written.
    let fields: [PodField]

    private init(fields: [PodField]) {
        self.fields = fields
    }

    /// What the `fields` of a query asks for: `*` for all, a list parted by commas, `id` where there is none.
    ///
    /// Names that no pod has are passed over, as Sensibo does.
    public init(query: String?) {
        var names = Set((query ?? "").split(separator: ",").map { $0.filter { $0 != " " } })
        if names.isEmpty { names = [PodField.id.rawValue] }
        let fields = PodField.allCases.filter { names.contains($0.rawValue) }
        self = names.contains("*") ? .all : PodFields(fields: fields)
    }
}

/// The words of settings, spelt once: asking an enumeration for its case's name is slow.
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
