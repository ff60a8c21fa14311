public enum APIRoute: Hashable, Sendable {
    public enum PodPart: Hashable, Sendable {
        case whole
        case acStates
        case acState(String)
        case smartMode
        case timer
        case schedules
        case schedule(String)
        case calibration
        case pureBoost
        /// Its notification that the filters need cleaning.
        case filterNotification
        case history
        case measurements
        case events
    }

    case me
    case pods
    /// A resource of the pod with an ID, as in the path.
    case pod(String, PodPart)
    case login

    /// Parses a path; nil for an unknown one. The list of pods is below `v1` and `v2`; timers, schedules and
    /// the user are below `v1` alone, and all other paths below `v2`. For any other path Sensibo's server
    /// sends an HTML page with status 404.
    public init?(path: String) {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 7).map { String(Substring($0)) }
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

    /// The methods that the resource allows; HEAD is allowed where GET is.
    public var methods: [APIRequest.Method] {
        switch self {
        case .me, .pods: [.get]
        case .login: [.post]
        case .pod(_, let part): part.resource.methods
        }
    }

    /// The pattern of its path, a label of metrics: one for each kind of resource, not for each pod.
    public var pattern: String {
        switch self {
        case .me: "/api/v1/users/me"
        case .pods: "/api/v2/users/me/pods"
        case .pod(_, let part): part.resource.pattern
        case .login: "/o/token"
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

    fileprivate var resource: (pattern: String, methods: [APIRequest.Method]) {
        switch self {
        case .whole: ("/api/v2/pods/{pod}", [.get])
        case .acStates: ("/api/v2/pods/{pod}/acStates", [.get, .post])
        case .acState: ("/api/v2/pods/{pod}/acStates/{property}", [.patch])
        case .smartMode: ("/api/v2/pods/{pod}/smartmode", [.get, .put, .post])
        case .timer: ("/api/v1/pods/{pod}/timer", [.get, .put, .delete])
        case .schedules: ("/api/v1/pods/{pod}/schedules", [.get, .post])
        case .schedule: ("/api/v1/pods/{pod}/schedules/{schedule}", [.get, .put, .delete])
        case .calibration: ("/api/v2/pods/{pod}/calibration", [.post])
        case .pureBoost: ("/api/v2/pods/{pod}/pureboost", [.put])
        case .filterNotification: ("/api/v2/pods/{pod}/cleanFiltersNotification", [.delete])
        case .history: ("/api/v2/pods/{pod}/historicalMeasurements", [.get])
        case .measurements: ("/api/v2/pods/{pod}/measurements", [.get])
        case .events: ("/api/v2/pods/{pod}/events", [.get])
        }
    }
}

/// The parts of a request to Sensibo's API that its answer depends on; `Content-Type` is ignored.
public struct APIRequest: Sendable {
    /// The maximum size of a body in bytes: the largest body of a known client has less than two thousand.
    public static let bodyBytes = 8 * 1_024

    public enum Method: String, CaseIterable, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"

        /// The method by its effect on the resource: HEAD is GET without the body.
        public var effect: Method { self == .head ? .get : self }
    }

    public let method: Method
    public let path: String
    public let query: FormFields
    public let credentials: APICredentials
    /// The header `Accept` as received; nil without it.
    public let accept: String?
    /// The header `Idempotency-Key` as received; nil without it.
    public let idempotencyKey: String?
    /// The body, ``bodyBytes`` at most.
    public let body: [UInt8]

    public init(
        _ method: Method, path: String, query: String = "", authorization: String? = nil,
        accept: String? = nil, idempotencyKey: String? = nil, body: [UInt8] = []
    ) {
        let fields = FormFields(query)
        (self.method, self.path) = (method, path)
        self.query = fields
        self.credentials = APICredentials(apiKey: fields["apiKey"], authorization: authorization)
        (self.accept, self.idempotencyKey, self.body) = (accept, idempotencyKey, body)
    }

    /// Whether errors are sent to the client as JSON; otherwise as HTML.
    public var prefersJSON: Bool { Self.prefersJSON(accept) }

    /// Whether errors are sent as JSON to a client with this `Accept` header; otherwise as HTML.
    public static func prefersJSON(_ accept: String?) -> Bool {
        accept?.lowercased().contains("application/json") ?? false
    }
}
