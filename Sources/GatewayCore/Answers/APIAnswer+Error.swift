import Stepping

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
