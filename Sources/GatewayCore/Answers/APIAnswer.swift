public import FleetProtocol
public import Stepping

/// What a request to the API hears.
public struct APIAnswer: Sendable, Equatable {
    /// What a body is.
    public enum ContentType: String, Sendable {
        case json = "application/json"
        case html = "text/html; charset=utf-8"
        case text = "text/plain; charset=utf-8"
    }

    /// The status.
    public let status: Int
    /// What the body is.
    public let contentType: ContentType
    /// When to try again, for the header `Retry-After`; nil where that is not said.
    public let retryAfter: Duration?
    /// What could have been done, for the header `Allow`; empty where that is not said.
    public let allowed: [APIRequest.Method]
    /// How many there are of what was asked for, for the header `X-Total-Count`; nil where that is not said.
    public let total: Int?
    /// The body.
    public let body: [UInt8]

    init(
        status: Int = 200, _ contentType: ContentType, retryAfter: Duration? = nil,
        allowed: [APIRequest.Method] = [], total: Int? = nil, body: [UInt8]
    ) {
        self.status = status
        self.contentType = contentType
        self.retryAfter = retryAfter
        self.allowed = allowed
        self.total = total
        self.body = body
    }

    /// A success with its result, in Sensibo's envelope.
    ///
    /// - Parameters:
    ///   - bytes: About how long it will be.
    ///   - more: What stands beside the result.
    static func success(
        about bytes: Int = 1_024, _ result: (inout JSONWriter) -> Void,
        more: (inout JSONWriter) -> Void = { _ in }
    ) -> APIAnswer {
        var json = JSONWriter(reserving: bytes)
        json.object { json in
            json.member("status", "success")
            json.key("result")
            result(&json)
            more(&json)
        }
        return APIAnswer(.json, body: json.bytes)
    }

    /// A success that has nothing more to say.
    public static let done = success { $0.null() }

    /// This answer as it is where its result was lost: a success without one; what is none stays as it is.
    ///
    /// As recorded in the issue 110241 of Home Assistant's core.
    public var withoutResult: APIAnswer {
        guard status == 200, contentType == .json else { return self }
        var json = JSONWriter()
        json.object { $0.member("status", "success") }
        return APIAnswer(.json, body: json.bytes)
    }
}

extension APIAnswer {
    /// What an error says, to whoever asked so: in JSON where they prefer it, as a page otherwise.
    ///
    /// Some are always the same: without credentials a word, of a limit a number for a status, at the log-in
    /// what OAuth says (RFC 6749, section 5.2), and of a path that names nothing a page.
    public init(_ error: APIError, prefersJSON: Bool) {
        switch error {
        case .loginRequired:
            self.init(status: error.status, .text, body: Array("login_required".utf8))
        case .fault(status: 401): self.init(.loginRequired, prefersJSON: prefersJSON)
        case .fault(status: 403): self.init(.invalidKey, prefersJSON: prefersJSON)
        case .fault(status: 429):
            self.init(.limited(retryAfter: .seconds(1)), prefersJSON: prefersJSON)
        case .limited(let retryAfter):
            var json = JSONWriter()
            json.object { json in
                json.member("status", error.status)
                json.member("message", error.message)
            }
            self.init(status: error.status, .json, retryAfter: retryAfter, body: json.bytes)
        case .invalidGrant, .unsupportedGrant:
            var json = JSONWriter()
            json.object { json in
                json.member("error", error.reason)
                json.member("error_description", error.message)
            }
            self.init(status: error.status, .json, body: json.bytes)
        case .noSuchPage: self.init(pageOf: error)
        case .methodNotAllowed(let allowed):
            self =
                prefersJSON
                ? APIAnswer(jsonOf: error, allowed: allowed) : APIAnswer(pageOf: error, allowed: allowed)
        case .busy(let retryAfter):
            self =
                prefersJSON
                ? APIAnswer(jsonOf: error, retryAfter: retryAfter)
                : APIAnswer(pageOf: error, retryAfter: retryAfter)
        case .invalidKey, .noSuchPod, .noTimer, .noSchedule, .noSuchPost, .noSuchUser, .badRequest, .tooLarge,
            .tooSlow,
            .keyReused, .notAllowed, .historyBeyondPlan, .noSuchRemoteCommand, .unavailable, .timedOut,
            .unanswered, .broken, .fault:
            self = prefersJSON ? APIAnswer(jsonOf: error) : APIAnswer(pageOf: error)
        }
    }

    private init(jsonOf error: APIError, retryAfter: Duration? = nil, allowed: [APIRequest.Method] = []) {
        var json = JSONWriter()
        json.object { json in
            json.member("status", error.outcome)
            json.member("reason", error.reason)
            json.member("message", error.message)
        }
        self.init(
            status: error.status, .json, retryAfter: retryAfter, allowed: allowed, body: json.bytes)
    }

    /// A page as recorded of Sensibo's, which is no correct HTML.
    private init(pageOf error: APIError, retryAfter: Duration? = nil, allowed: [APIRequest.Method] = []) {
        let title = "\(error.status) \(error.reason)"
        let page =
            "<html><head><title>\(title) - Sensibo</title></head><body><h>\(title)</h>"
            + "<p>\(HTMLText.escaped(error.message))</p><body></html>"
        self.init(
            status: error.status, .html, retryAfter: retryAfter, allowed: allowed, body: Array(page.utf8))
    }
}

/// How a command came to its end, whichever way.
public enum PodCommandEnd: Sendable, Equatable {
    /// As the controller says.
    case outcome(Outcome)
    /// The device is not there, and nothing was begun.
    case offline
}

extension APIAnswer {
    /// What becomes of a change of a pod's state: a record of it.
    ///
    /// - Parameters:
    ///   - pod: The pod as it was before.
    ///   - cause: A request, or a correction.
    ///   - parameter: The name of what a client sends, for one that sent what the device does not take.
    /// - Throws: ``APIError/badRequest(_:)`` where the device rejects it.
    public static func stateChange(
        _ request: RequestID, of pod: Pod, by cause: ChangeCause, end: PodCommandEnd, parameter: String,
        user: Email, now: WallTime
    ) throws(APIError) -> APIAnswer {
        let change: StateChange =
            switch end {
            case .outcome(.applied(let state)):
                StateChange(
                    of: pod.device, to: state, from: pod.state, by: cause, user: user, at: now)
            case .outcome(.unchanged(let state)):
                StateChange(of: request, at: state.state, by: cause, user: user, at: now)
            case .outcome(.rejected(let why)): throw .invalid(parameter, why)
            case .outcome(let outcome):
                StateChange(
                    of: request, at: outcome.state?.state ?? pod.state, by: cause, user: user,
                    shortfall: StateChange.Shortfall(outcome), at: now)
            case .offline:
                StateChange(
                    of: request, at: pod.state, by: cause, user: user, shortfall: .timeout, at: now)
            }
        return success { $0.change(change, by: pod.capabilities, now: now) }
    }

    /// That a pod's remote has no code for a state: in JSON as recorded in the tests of
    /// homebridge-sensibo-sky, with what was asked for and what is; as a page otherwise.
    ///
    /// - Parameter asked: What the pod was to be set to.
    public static func noSuchRemoteCommand(
        _ request: RequestID, _ asked: ACState, of pod: Pod, prefersJSON: Bool, now: WallTime
    ) -> APIAnswer {
        let error = APIError.noSuchRemoteCommand
        guard prefersJSON else { return APIAnswer(error, prefersJSON: false) }
        let change = StateChange(
            of: request, at: asked, by: .request, shortfall: .noSuchRemoteCommand, at: now)
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
        return APIAnswer(status: error.status, .json, body: json.bytes)
    }

    /// What becomes of a change of a pod's settings: clients look at nothing but whether it was a success.
    ///
    /// - Throws: ``APIError/badRequest(_:)`` where the device rejects it.
    public static func settingsChange(
        end: PodCommandEnd, parameter: String
    ) throws(APIError) -> APIAnswer {
        let shortfall: StateChange.Shortfall? =
            switch end {
            case .outcome(.rejected(let why)): throw .invalid(parameter, why)
            case .outcome(let outcome): StateChange.Shortfall(outcome)
            case .offline: .timeout
            }
        guard let shortfall else { return done }
        var json = JSONWriter()
        json.object { json in
            json.member("status", shortfall.status.lowercased())
            json.member("reason", shortfall.rawValue)
            json.member("result", nil)
        }
        return APIAnswer(.json, body: json.bytes)
    }
}

extension RecordFields {
    /// What is told of a request that came to nothing for want of a code.
    fileprivate static let refusedRequest = RecordFields(
        query: "id,status,reason,failureReason,changedProperties,acState")
}

/// Which keys of a record somebody asked for: of a change, or of what was measured.
public struct RecordFields: Sendable, Equatable {
    /// All of them.
    public static let all = RecordFields(query: nil)

    /// nil: all.
    private let names: Set<String>?

    /// What the `fields` of a query asks for: a list parted by commas, all of them for `*` or where there is
    /// none.
    ///
    /// Names that no record has are passed over, as Sensibo does.
    public init(query: String?) {
        let names = Set((query ?? "*").split(separator: ",").map { $0.filter { $0 != " " } })
        self.names = names.isEmpty || names.contains("*") ? nil : names
    }

    /// Whether a key was requested by its name, rather than with `*`.
    func isNamed(_ name: StaticString) -> Bool { names?.contains("\(name)") ?? false }

    /// Whether a key was asked for.
    func contains(_ name: StaticString) -> Bool { names?.contains("\(name)") ?? true }
}
