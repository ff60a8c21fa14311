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
