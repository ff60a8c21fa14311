/// What a path of Sensibo's API names, with or without a slash at its end.
public enum APIRoute: Hashable, Sendable {
    /// What there is about a pod, by its id as the path has it.
    public enum PodPart: Hashable, Sendable {
        /// The pod object.
        case whole
        /// Its AC state, and what it was.
        case acStates
        /// One key of its AC state.
        case acState(String)
        /// Its Climate React.
        case smartMode
        /// Its timer.
        case timer
        /// Its schedules.
        case schedules
        /// One of them.
        case schedule(String)
        /// What its measurements are off by.
        case calibration
        /// Its Pure Boost.
        case pureBoost
        /// That its filters are to be cleaned.
        case filterNotification
        /// What it measured in the last while.
        case history
        /// What it measured last.
        case measurements
        /// What happened to it.
        case events
    }

    /// The user.
    case me
    /// The user's pods.
    case pods
    /// Something of a pod.
    case pod(String, PodPart)
    /// Where one logs in.
    case login

    /// What a path names; nil where it names nothing.
    ///
    /// The list of pods is below `v1` and `v2`; timers, schedules and the user are below `v1` alone, and all
    /// other paths below `v2`. For any other path Sensibo's server sends an HTML page with status 404.
    public init?(path: String) {
        let parts = path.split(separator: "/", maxSplits: 7).map(String.init)
        switch parts.count {
        case 2 where parts == ["o", "token"]: self = .login
        case 4 where parts == ["api", "v1", "users", "me"]: self = .me
        case 5 where ["v1", "v2"].contains(parts[1]) && parts == ["api", parts[1], "users", "me", "pods"]:
            self = .pods
        case 4... where parts[0] == "api" && parts[2] == "pods":
            guard let part = PodPart(version: parts[1], path: parts[4...]) else { return nil }
            self = .pod(parts[3], part)
        default: return nil
        }
    }

    /// What can be done to it; to HEAD it is as to GET.
    public var methods: [APIRequest.Method] {
        switch self {
        case .me, .pods: [.get]
        case .login: [.post]
        case .pod(_, let part):
            switch part {
            case .whole, .history, .measurements, .events: [.get]
            case .acStates: [.get, .post]
            case .acState: [.patch]
            case .smartMode: [.get, .put, .post]
            case .timer: [.get, .put, .delete]
            case .schedules: [.get, .post]
            case .schedule: [.get, .put, .delete]
            case .calibration: [.post]
            case .pureBoost: [.put]
            case .filterNotification: [.delete]
            }
        }
    }
}

extension APIRoute.PodPart {
    fileprivate init?(version: String, path: ArraySlice<String>) {
        switch (version, path.first ?? "", path.dropFirst().first) {
        case ("v2", "", nil): self = .whole
        case ("v2", "acStates", nil): self = .acStates
        case ("v2", "acStates", let property?): self = .acState(property)
        case ("v2", "smartmode", nil): self = .smartMode
        case ("v1", "timer", nil): self = .timer
        case ("v1", "schedules", nil): self = .schedules
        case ("v1", "schedules", let id?): self = .schedule(id)
        case ("v2", "calibration", nil): self = .calibration
        case ("v2", "pureboost", nil): self = .pureBoost
        case ("v2", "cleanFiltersNotification", nil): self = .filterNotification
        case ("v2", "historicalMeasurements", nil): self = .history
        case ("v2", "measurements", nil): self = .measurements
        case ("v2", "events", nil): self = .events
        default: return nil
        }
        guard path.count <= 2 else { return nil }
    }
}
