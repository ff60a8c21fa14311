public import FleetProtocol
import UserText

public enum APIError: Error, Hashable, Sendable {
    case loginRequired
    case invalidKey
    case invalidGrant
    /// The log-in has a grant type other than `password`.
    case unsupportedGrant
    case noSuchPage
    /// The resource does not support the method; the methods that it supports.
    case methodNotAllowed([APIRequest.Method])
    case noSuchPod
    case noTimer
    case noSchedule
    case noSuchPost
    case noSuchUser
    /// The request is invalid; the parameter and the allowed values.
    case badRequest(String)
    /// The body is larger than that of any known client.
    case tooLarge
    /// The request did not arrive in time.
    case tooSlow
    /// The `Idempotency-Key` belongs to a request with other content.
    case keyReused
    /// The rate limit of the key is exceeded; the time until the next request is admitted.
    case limited(retryAfter: Duration)
    /// The fleet is busy; the time until a retry.
    case busy(retryAfter: Duration)
    /// The disk is full, and nothing was changed; the time until a retry.
    case storageFull(retryAfter: Duration)
    /// The user is not allowed to do this; the reason.
    case notAllowed(String)
    /// The request needs more history than an account without a subscription has.
    case historyBeyondPlan
    /// The pod's remote has no code for the requested state.
    case noSuchRemoteCommand
    case unavailable
    case timedOut
    /// The controller did not answer in time, and the change may have been made.
    case unanswered
    /// The controller's answer cannot be used; the reason.
    case broken(String)
    /// A refusal by the gateway; its status, the name of the status, and the reason.
    case refused(status: Int, name: String, String)
    case fault(status: Int)

    public var status: Int { content.status }
    var reason: String { content.reason }
    /// The message for people; those that Sensibo is known to send are verbatim.
    public var message: String { content.message }

    /// Whether nothing was done, so that the `Idempotency-Key` of the request can be that of another one.
    public var isRefusal: Bool { (400..<500).contains(status) || status == 503 }

    /// The member `status` in JSON: `failed` only if nothing was changed.
    var outcome: String { self == .unanswered ? "unknown" : "failed" }

    private var content: (status: Int, reason: String, message: String) {
        switch self {
        case .badRequest(let why): (400, "BadRequest", why)
        case .invalidGrant: (400, "invalid_grant", "Invalid credentials given.")
        case .unsupportedGrant: (400, "unsupported_grant_type", "grant_type must be password")
        case .loginRequired: (401, "login_required", "login_required")
        case .invalidKey: (403, "NotAuthorized", "Invalid API key")
        case .notAllowed(let why): (403, "Forbidden", why)
        case .historyBeyondPlan: (403, "Forbidden", "more than one day of history needs a subscription")
        case .noSuchPage: (404, "NotFound", "Not Found")
        case .noSuchPod: (404, "NotFound", "No such device or device is not associated with user")
        case .noTimer: (404, "NotFound", "This pod does not have a timer")
        case .noSchedule: (404, "NotFound", "This pod does not have such a schedule")
        case .noSuchPost: (404, "NotFound", "No such post in this account")
        case .noSuchUser: (404, "NotFound", "No such author in this account")
        case .methodNotAllowed(let allowed):
            (405, "MethodNotAllowed", "allowed: \(allowed.map(\.rawValue).joined(separator: ", "))")
        case .tooSlow: (408, "RequestTimeout", "the request did not arrive in time")
        case .tooLarge: (413, "RequestEntityTooLarge", "the request body is too large")
        case .keyReused:
            (
                422, "IdempotencyKeyReused",
                "the Idempotency-Key belongs to another request: this one was not sent. Use a new key."
            )
        case .limited:
            (
                429, "TooManyRequests",
                "API Limit exceeded. Use \"Accept-Encoding: gzip\" to increase the rate limit."
            )
        case .busy(let wait): (429, "TooManyRequests", "busy: try again in \(wait.wholeMilliseconds) ms")
        case .noSuchRemoteCommand: (500, "NoSuchRemoteCommand", "the remote has no code for that state")
        case .broken(let why): (500, "InternalServerError", why)
        case .unavailable: (502, "BadGateway", "the controller cannot be reached")
        case .storageFull(let wait):
            (
                503, "ServiceUnavailable",
                "the disk is full: try again in \(wait.wholeMilliseconds) ms. Nothing changed."
            )
        case .timedOut: (504, "GatewayTimeout", "the controller did not answer in time")
        case .unanswered:
            (
                504, "GatewayTimeout",
                "the controller did not answer in time: the change may have been made, or may still be made"
            )
        case .refused(let status, let name, let why): (status, name, why)
        case .fault(let status):
            (status, Self.reason(ofStatus: status), "injected fault: cloud-error")
        }
    }

    private static func reason(ofStatus status: Int) -> String {
        switch status {
        case 401: "login_required"
        case 403: "NotAuthorized"
        case 429: "TooManyRequests"
        case 502: "BadGateway"
        case 503: "ServiceUnavailable"
        case 504: "GatewayTimeout"
        default: "InternalServerError"
        }
    }

    /// The API error for a refusal by the controller; nil for an offline device, which the API reports as a
    /// failed change.
    public init?(_ refusal: Refusal, to credentials: APICredentials) {
        switch refusal {
        case .offline: return nil
        case .busy(let retryAfter): self = .busy(retryAfter: retryAfter)
        case .storageFull(let retryAfter): self = .storageFull(retryAfter: retryAfter)
        case .unauthenticated: self = credentials.refusal
        case .notFound: self = .noSuchPod
        case .invalid(let what): self = .badRequest(what)
        case .notAllowed(let why): self = .notAllowed(why)
        case .offDuty(let reason): self = .notAllowed("\(reason.text) (offDuty)")
        // The next request of the token goes to the cell that has the account now.
        case .moved: self = .busy(retryAfter: .seconds(1))
        case .idMismatch, .idTooOld: self = .broken(refusal.explanation)
        }
    }
}
