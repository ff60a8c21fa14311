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

    public var status: Int {
        switch self {
        case .badRequest, .invalidGrant, .unsupportedGrant: 400
        case .loginRequired: 401
        case .invalidKey, .notAllowed, .historyBeyondPlan: 403
        case .noSuchPage, .noSuchPod, .noTimer, .noSchedule, .noSuchPost, .noSuchUser: 404
        case .methodNotAllowed: 405
        case .tooSlow: 408
        case .tooLarge: 413
        case .keyReused: 422
        case .limited, .busy: 429
        case .broken, .noSuchRemoteCommand: 500
        case .unavailable: 502
        case .storageFull: 503
        case .timedOut, .unanswered: 504
        case .refused(let status, _, _), .fault(let status): status
        }
    }

    /// Whether nothing was done, so that the `Idempotency-Key` of the request can be that of another one.
    public var isRefusal: Bool { (400..<500).contains(status) || status == 503 }

    /// The member `status` in JSON: `failed` only if nothing was changed.
    var outcome: String { self == .unanswered ? "unknown" : "failed" }

    var reason: String {
        switch self {
        case .loginRequired: "login_required"
        case .invalidKey: "NotAuthorized"
        case .invalidGrant: "invalid_grant"
        case .unsupportedGrant: "unsupported_grant_type"
        case .noSuchPage, .noSuchPod, .noTimer, .noSchedule, .noSuchPost, .noSuchUser: "NotFound"
        case .methodNotAllowed: "MethodNotAllowed"
        case .badRequest: "BadRequest"
        case .tooLarge: "RequestEntityTooLarge"
        case .tooSlow: "RequestTimeout"
        case .keyReused: "IdempotencyKeyReused"
        case .limited, .busy: "TooManyRequests"
        case .notAllowed, .historyBeyondPlan: "Forbidden"
        case .noSuchRemoteCommand: "NoSuchRemoteCommand"
        case .broken: "InternalServerError"
        case .unavailable: "BadGateway"
        case .storageFull: "ServiceUnavailable"
        case .timedOut, .unanswered: "GatewayTimeout"
        case .refused(_, let name, _): name
        case .fault(let status): Self.reason(ofStatus: status)
        }
    }

    /// The message for people; those that Sensibo is known to send are verbatim.
    public var message: String {
        switch self {
        case .loginRequired: "login_required"
        case .invalidKey: "Invalid API key"
        case .invalidGrant: "Invalid credentials given."
        case .unsupportedGrant: "grant_type must be password"
        case .noSuchPage: "Not Found"
        case .noSuchPod: "No such device or device is not associated with user"
        case .noTimer: "This pod does not have a timer"
        case .noSchedule: "This pod does not have such a schedule"
        case .noSuchPost: "No such post in this account"
        case .noSuchUser: "No such author in this account"
        case .methodNotAllowed(let allowed): "allowed: \(allowed.map(\.rawValue).joined(separator: ", "))"
        case .badRequest(let why), .notAllowed(let why), .broken(let why), .refused(_, _, let why): why
        case .tooLarge: "the request body is too large"
        case .tooSlow: "the request did not arrive in time"
        case .keyReused:
            "the Idempotency-Key belongs to another request: this one was not sent. Use a new key."
        case .limited: "API Limit exceeded. Use \"Accept-Encoding: gzip\" to increase the rate limit."
        case .busy(let retryAfter): "busy: try again in \(retryAfter.wholeMilliseconds) ms"
        case .storageFull(let retryAfter):
            "the disk is full: try again in \(retryAfter.wholeMilliseconds) ms. Nothing changed."
        case .historyBeyondPlan: "more than one day of history needs a subscription"
        case .noSuchRemoteCommand: "the remote has no code for that state"
        case .unavailable: "the controller cannot be reached"
        case .timedOut: "the controller did not answer in time"
        case .unanswered:
            "the controller did not answer in time: the change may have been made, or may still be made"
        case .fault: "fault injected with `fleet inject cloud-error`"
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
