extension APIRoute {
    /// The pattern of its path, as metrics tell routes apart: one for each kind, whatever pod it is about.
    public var pattern: String {
        switch self {
        case .me: "/api/v1/users/me"
        case .pods: "/api/v2/users/me/pods"
        case .pod(_, let part): part.pattern
        case .login: "/o/token"
        }
    }
}

extension APIRoute.PodPart {
    fileprivate var pattern: String {
        switch self {
        case .whole: "/api/v2/pods/{pod}"
        case .acStates: "/api/v2/pods/{pod}/acStates"
        case .acState: "/api/v2/pods/{pod}/acStates/{property}"
        case .smartMode: "/api/v2/pods/{pod}/smartmode"
        case .timer: "/api/v1/pods/{pod}/timer"
        case .schedules: "/api/v1/pods/{pod}/schedules"
        case .schedule: "/api/v1/pods/{pod}/schedules/{schedule}"
        case .calibration: "/api/v2/pods/{pod}/calibration"
        case .pureBoost: "/api/v2/pods/{pod}/pureboost"
        case .filterNotification: "/api/v2/pods/{pod}/cleanFiltersNotification"
        case .history: "/api/v2/pods/{pod}/historicalMeasurements"
        case .measurements: "/api/v2/pods/{pod}/measurements"
        case .events: "/api/v2/pods/{pod}/events"
        }
    }
}
