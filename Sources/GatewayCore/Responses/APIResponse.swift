public import FleetProtocol
import UserText

public struct APIResponse: Sendable, Equatable {
    public enum ContentType: String, Sendable {
        case json = "application/json"
        case html = "text/html; charset=utf-8"
        case text = "text/plain; charset=utf-8"
    }

    public let status: Int
    public let contentType: ContentType
    /// The value of the header `Retry-After`; nil without that header.
    public let retryAfter: Duration?
    /// The methods in the header `Allow`; empty without that header.
    public let allowed: [APIRequest.Method]
    /// The number of items in the whole collection, for the header `X-Total-Count`; nil without that header.
    public let total: Int?
    public let body: [UInt8]
    /// What a cloud fault does to it on its way; nil if it arrives.
    public var damage: CloudTreatment.Damage?

    init(
        status: Int = 200, _ contentType: ContentType, retryAfter: Duration? = nil,
        allowed: [APIRequest.Method] = [], total: Int? = nil, body: [UInt8]
    ) {
        (self.status, self.contentType, self.retryAfter) = (status, contentType, retryAfter)
        (self.allowed, self.total, self.body) = (allowed, total, body)
    }

    /// A body that is a JSON value, without an envelope.
    init(status: Int = 200, retryAfter: Duration? = nil, total: Int? = nil, bare value: some JSONWritable) {
        self.init(
            status: status, .json, retryAfter: retryAfter, total: total, body: JSONWriter.bytes(of: value))
    }

    static func success(
        about bytes: Int = 1_024, _ result: (inout JSONWriter) -> Void,
        more: (inout JSONWriter) -> Void = { _ in }
    ) -> APIResponse {
        var json = JSONWriter(reserving: bytes)
        json.object { json in
            json.member("status", "success")
            json.key("result")
            result(&json)
            more(&json)
        }
        return APIResponse(.json, body: json.bytes)
    }

    public static let done = success { $0.null() }

    /// This answer without the member `result`, if it is a success in JSON; otherwise the answer unchanged.
    /// The cloud fault `noResult` sends it, as recorded in the issue 110241 of Home Assistant's core.
    public var withoutResult: APIResponse {
        guard status == 200, contentType == .json else { return self }
        return APIResponse(bare: ["status": "success"] as JSONObject)
    }

    /// The answer for an error: a JSON body if the client prefers it, otherwise an HTML page. Some errors
    /// have one form for all clients. `loginRequired` is plain text, a rate limit is JSON with a numeric
    /// status, a failed log-in is an OAuth error (RFC 6749, section 5.2).
    public init(_ error: APIError, prefersJSON: Bool) {
        switch error {
        case .loginRequired: self.init(status: error.status, .text, body: Array("login_required".utf8))
        case .fault(status: 401): self.init(.loginRequired, prefersJSON: prefersJSON)
        case .fault(status: 403): self.init(.invalidKey, prefersJSON: prefersJSON)
        case .fault(status: 429): self.init(.limited(retryAfter: .seconds(1)), prefersJSON: prefersJSON)
        case .limited(let retryAfter):
            let body: JSONObject = ["status": error.status, "message": error.message]
            self.init(status: error.status, retryAfter: retryAfter, bare: body)
        case .invalidGrant, .unsupportedGrant:
            let body: JSONObject = ["error": error.reason, "error_description": error.message]
            self.init(status: error.status, bare: body)
        case .methodNotAllowed(let allowed): self.init(error, asJSON: prefersJSON, allowed: allowed)
        case .busy(let retryAfter), .storageFull(let retryAfter):
            self.init(error, asJSON: prefersJSON, retryAfter: retryAfter)
        case .invalidKey, .noSuchPage, .noSuchPod, .noTimer, .noSchedule, .noSuchPost, .noSuchUser,
            .badRequest, .tooLarge, .tooSlow, .keyReused, .notAllowed, .historyBeyondPlan,
            .noSuchRemoteCommand, .unavailable, .timedOut, .unanswered, .broken, .refused, .fault:
            self.init(error, asJSON: prefersJSON)
        }
    }

    /// The JSON of an error, or its HTML page as recorded from Sensibo's server, including its invalid
    /// markup.
    private init(
        _ error: APIError, asJSON: Bool, retryAfter: Duration? = nil, allowed: [APIRequest.Method] = []
    ) {
        let title = "\(error.status) \(error.reason)"
        let page =
            "<html><head><title>\(title) - Sensibo</title></head><body><h>\(title)</h>"
            + "<p>\(MarkupText.escaped(error.message))</p><body></html>"
        let json: JSONObject = ["status": error.outcome, "reason": error.reason, "message": error.message]
        self.init(
            status: error.status, asJSON ? .json : .html, retryAfter: retryAfter, allowed: allowed,
            body: asJSON ? JSONWriter.bytes(of: json) : Array(page.utf8))
    }
}

public enum PodCommandOutcome: Sendable, Equatable {
    case outcome(Outcome)
    /// The device was offline, and the command was never started.
    case offline
}

extension APIResponse {
    /// The answer to a change of a pod's state: a record of the change. The pod is as before the change, and
    /// `parameter` is the client's name in the message of an error.
    public static func stateChange(
        _ request: RequestID, of pod: Pod, by cause: ChangeCause, end: PodCommandOutcome, parameter: String,
        user: Email, now: PodTime
    ) throws(APIError) -> APIResponse {
        let change: StateChange =
            switch end {
            case .outcome(.applied(let state)):
                StateChange(of: pod.device, to: state, from: pod.state, by: cause, user: user, at: now.real)
            case .outcome(.unchanged(let state)):
                StateChange(of: request, at: state.state, by: cause, user: user, at: now.real)
            case .outcome(.rejected(let why)): throw .invalid(parameter, why)
            case .outcome(let outcome):
                StateChange(
                    of: request, at: outcome.state?.state ?? pod.state, by: cause, user: user,
                    shortfall: StateChange.Shortfall(outcome), at: now.real)
            case .offline:
                StateChange(
                    of: request, at: pod.state, by: cause, user: user, shortfall: .timeout, at: now.real)
            }
        return success { $0.change(change, by: pod.capabilities, now: now) }
    }

    /// The error for a state without a code in a pod's remote, as JSON if the client prefers it, or a page.
    /// The JSON has the requested and the current state, as recorded in the tests of homebridge-sensibo-sky.
    public static func noSuchRemoteCommand(
        _ request: RequestID, _ asked: ACState, of pod: Pod, prefersJSON: Bool, now: PodTime
    ) -> APIResponse {
        let error = APIError.noSuchRemoteCommand
        guard prefersJSON else { return APIResponse(error, prefersJSON: false) }
        let change = StateChange(
            of: request, at: asked, by: .request, shortfall: .noSuchRemoteCommand, at: now.real)
        var json = JSONWriter()
        json.object { json in
            json.member("status", "failed")
            json.member("reason", error.reason)
            json.object("result") { json in
                json.key("request")
                json.change(change, by: pod.capabilities, fields: .refusedRequest, now: now)
                json.key("currentAcState")
                json.acState(pod.state, by: pod.capabilities, at: (pod.changes.last ?? pod.asOf, now))
            }
        }
        return APIResponse(status: error.status, .json, body: json.bytes)
    }

    /// The answer to a change of a pod's settings: the settings as a read returns them; null if they are
    /// removed or unknown. For a POST of `smartmode` that is recorded from the cloud, for other changes it is
    /// inferred.
    public static func settingsChange(
        end: PodCommandOutcome, of part: APIRoute.PodPart?, in pod: Pod?, parameter: String, now: PodTime
    ) throws(APIError) -> APIResponse {
        let shortfall: StateChange.Shortfall? =
            switch end {
            case .outcome(.rejected(let why)): throw .invalid(parameter, why)
            case .outcome(let outcome): StateChange.Shortfall(outcome)
            case .offline: .timeout
            }
        guard let shortfall else {
            guard let part, let pod else { return done }
            return (try? settings(part, of: pod, now: now)) ?? done
        }
        let body: JSONObject = [
            "status": shortfall.status.lowercased(), "reason": shortfall.rawValue, "result": String?.none,
        ]
        return APIResponse(bare: body)
    }

    private static func settings(
        _ part: APIRoute.PodPart, of pod: Pod, now: PodTime
    ) throws(APIError) -> APIResponse {
        switch part {
        case .smartMode: climateReact(of: pod, now: now)
        case .timer: try timer(of: pod, now: now)
        case .schedule(let id): try schedule(id, of: pod, now: now)
        case .calibration: success { pod.writeCalibration(to: &$0) }
        case .pureBoost: success { pod.writePureBoost(to: &$0) }
        case .whole, .acStates, .acState, .schedules, .filterNotification, .history, .measurements, .events:
            done
        }
    }
}

extension RecordFields {
    /// The keys of the record of a request that failed with `noSuchRemoteCommand`.
    fileprivate static let refusedRequest = RecordFields(
        query: "id,status,reason,failureReason,changedProperties,acState")
}

/// The keys of a record that a client requested, for records of changes and of measurements.
public struct RecordFields: Sendable, Equatable {
    public static let all = RecordFields(query: nil)

    private let names: Set<String>?

    /// Parses the query parameter `fields`, a list separated by commas; nil, an empty list or `*` means all.
    /// Unknown names are ignored, as Sensibo does.
    public init(query: String?) {
        let names = Set((query ?? "*").split(separator: ",").map { $0.filter { $0 != " " } })
        self.names = names.isEmpty || names.contains("*") ? nil : names
    }

    /// Whether a key was requested by its name, rather than with `*`.
    func isNamed(_ name: StaticString) -> Bool { names?.contains("\(name)") ?? false }

    /// Whether a key was requested, by its name or with `*`.
    func contains(_ name: StaticString) -> Bool { contains("\(name)" as String) }

    func contains(_ name: String) -> Bool { names?.contains(name) ?? true }
}
