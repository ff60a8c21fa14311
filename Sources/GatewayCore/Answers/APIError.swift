public import FleetProtocol
import FleetTime
import UserText

/// Why a request to the API was not carried out, as Sensibo's API says it.
public enum APIError: Error, Hashable, Sendable {
    /// Nothing was shown that lets anybody in.
    case loginRequired
    /// A key that opens nothing.
    case invalidKey
    /// A wrong email or password at the log-in.
    case invalidGrant
    /// Anything but a password at the log-in.
    case unsupportedGrant
    /// The path names nothing.
    case noSuchPage
    /// What the path names cannot be treated so; what it allows.
    case methodNotAllowed([APIRequest.Method])
    /// No such pod, or not the user's.
    case noSuchPod
    /// There is no timer.
    case noTimer
    /// There is no such schedule.
    case noSchedule
    /// No such post, or not of the user's account.
    case noSuchPost
    /// Nobody of that number has written.
    case noSuchUser
    /// Something in the request is not as it must be; what, and what is allowed.
    case badRequest(String)
    /// The body is larger than any client's.
    case tooLarge
    /// The request did not arrive in time.
    case tooSlow
    /// The `Idempotency-Key` stands for a request with other content.
    case keyReused
    /// Too many requests with one key; when the next is taken.
    case limited(retryAfter: Duration)
    /// The fleet has too much to do; when to try again.
    case busy(retryAfter: Duration)
    /// The user may not do this; why.
    case notAllowed(String)
    /// More history than an account without a subscription has.
    case historyBeyondPlan
    /// The pod's remote has no code for what it is to be set to.
    case noSuchRemoteCommand
    /// The controller cannot be reached.
    case unavailable
    /// The controller did not answer in time.
    case timedOut
    /// The controller does not answer for a change that may have been made.
    case unanswered
    /// What the controller answers cannot be used.
    case broken(String)
    /// A fault of the cloud, with its status.
    case fault(status: Int)

    /// The status of the answer.
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
        case .timedOut, .unanswered: 504
        case .fault(let status): status
        }
    }

    /// The word for it in JSON: a failure only where nothing was done.
    var outcome: String { self == .unanswered ? "unknown" : "failed" }

    /// The word for why in JSON and in a page's title.
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
        case .timedOut, .unanswered: "GatewayTimeout"
        case .fault(let status): Self.reason(ofStatus: status)
        }
    }

    /// What it says to a person; in recorded answers word for word.
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
        case .badRequest(let why), .notAllowed(let why), .broken(let why): why
        case .tooLarge: "the request body is too large"
        case .tooSlow: "the request did not arrive in time"
        case .keyReused:
            "the Idempotency-Key belongs to another request: this one was not sent. Use a new key."
        case .limited: "API Limit exceeded. Use \"Accept-Encoding: gzip\" to increase the rate limit."
        case .busy(let retryAfter): "busy: try again in \(retryAfter.wholeMilliseconds) ms"
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

    /// What a refusal of the controller is to whoever asked the API; nil where the device is offline, which
    /// the API tells as a change that failed.
    public init?(_ refusal: Refusal, to credentials: APICredentials) {
        switch refusal {
        case .offline: return nil
        case .busy(let retryAfter), .storageFull(let retryAfter): self = .busy(retryAfter: retryAfter)
        case .unauthenticated: self = credentials.refusal
        case .notFound: self = .noSuchPod
        case .invalid(let what): self = .badRequest(what)
        case .notAllowed(let why): self = .notAllowed(why)
        case .offDuty(let reason): self = .notAllowed("\(reason.words) (offDuty)")
        case .idMismatch, .idTooOld: self = .broken(refusal.explanation)
        }
    }
}
