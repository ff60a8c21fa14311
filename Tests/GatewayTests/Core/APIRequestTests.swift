import FleetProtocol
import Foundation
import GatewayCore
import Testing

@Suite("Requests to the API")
struct APIRequestTests {
    private static let digits = String(repeating: "0aF", count: 21) + "9"

    private static let paths: [(String, APIRoute)] = [
        ("/api/v1/users/me", .me), ("/api/v2/users/me/pods", .pods), ("/o/token", .login),
        ("/api/v2/pods/abcdefgh", .pod("abcdefgh", .whole)),
        ("/api/v2/pods/abcdefgh/acStates", .pod("abcdefgh", .acStates)),
        ("/api/v2/pods/abcdefgh/acStates/on", .pod("abcdefgh", .acState("on"))),
        ("/api/v2/pods/abcdefgh/smartmode", .pod("abcdefgh", .smartMode)),
        ("/api/v1/pods/abcdefgh/timer", .pod("abcdefgh", .timer)),
        ("/api/v1/pods/abcdefgh/schedules", .pod("abcdefgh", .schedules)),
        ("/api/v1/pods/abcdefgh/schedules/s1", .pod("abcdefgh", .schedule("s1"))),
        ("/api/v2/pods/abcdefgh/calibration", .pod("abcdefgh", .calibration)),
        ("/api/v2/pods/abcdefgh/pureboost", .pod("abcdefgh", .pureBoost)),
        ("/api/v2/pods/abcdefgh/cleanFiltersNotification", .pod("abcdefgh", .filterNotification)),
        ("/api/v2/pods/abcdefgh/historicalMeasurements", .pod("abcdefgh", .history)),
        ("/api/v2/pods/abcdefgh/measurements", .pod("abcdefgh", .measurements)),
        ("/api/v2/pods/abcdefgh/events", .pod("abcdefgh", .events)),
    ]

    @Test("a path has its route, with and without a slash at the end", arguments: paths)
    func routes(path: String, route: APIRoute) {
        #expect(APIRoute(path: path) == route)
        #expect(APIRoute(path: path + "/") == route)
        #expect(!route.methods.isEmpty)
    }

    @Test("the list of pods is also below version 1 of the API")
    func firstVersion() {
        #expect(APIRoute(path: "/api/v1/users/me/pods") == .pods)
        #expect(APIRoute(path: "/api/v1/users/me/pods/") == .pods)
    }

    @Test("metrics name a route by its pattern", arguments: paths)
    func patterns(path: String, route: APIRoute) {
        let pattern = path.replacing("/abcdefgh", with: "/{pod}").replacing("/s1", with: "/{schedule}")
            .replacing("/on", with: "/{property}")
        #expect(route.pattern == pattern)
    }

    @Test(
        "an unknown path has no route",
        arguments: [
            "/", "", "/api", "/api/v2", "/api/v2/users/me", "/api/v3/users/me/pods", "/api/v2/pods",
            "/api/v2/pods/abcdefgh/timer", "/api/v2/pods/abcdefgh/timer/", "/api/v2/pods/abcdefgh/schedules/",
            "/api/v1/pods/abcdefgh", "/api/v1/pods/abcdefgh/acStates", "/api/v3/pods/abcdefgh",
            "/api/v2/pods/abcdefgh/nothing", "/api/v2/pods/abcdefgh/acStates/on/more", "/o/token/more",
            "/api/v1/pods/abcdefgh/schedules/s1/more", "/graphql/v1",
            "/api/v2/pods/a/b/c/d/e/f/g/h/i/j/k" + String(repeating: "/x", count: 10_000),
        ])
    func nothing(path: String) {
        #expect(APIRoute(path: path) == nil)
    }

    @Test("a request has a key or a token, and the key takes precedence")
    func credentials() throws {
        let bytes = try #require([UInt8](hexadecimal: Self.digits))
        let token = CellToken(try #require(Token(bytes)), in: nil)
        func shown(_ query: String, _ header: String? = nil) -> APICredentials {
            APIRequest(.get, path: "/", query: query, authorization: header).credentials
        }
        #expect(shown("apiKey=\(Self.digits)") == .key(token))
        #expect(shown("fields=*&apiKey=\(Self.digits)&integration=homebridge%403.0.2") == .key(token))
        #expect(shown("", "Bearer \(Self.digits)") == .bearer(token))
        #expect(shown("", "bearer  \(Self.digits)") == .bearer(token))
        #expect(shown("apiKey=\(Self.digits)", "Bearer x") == .key(token))
        let inCell = CellToken(token.token, in: CellName("c2"))
        #expect(shown("apiKey=sb_c2_\(Self.digits)") == .key(inCell))
        #expect(shown("", "Bearer sb_c2_\(Self.digits)") == .bearer(inCell))
        #expect(shown("apiKey=sb_C2_\(Self.digits)") == .malformedKey)
        #expect(shown("apiKey=short") == .malformedKey)
        #expect(shown("apiKey=") == .malformedKey)
        #expect(shown("apiKey=\(Self.digits)00") == .malformedKey)
        #expect(shown("apiKey=" + String(repeating: "g", count: 64)) == .malformedKey)
        for header in ["", "Bearer", "Basic \(Self.digits)", "Bearer x", "Bearer \(Self.digits) x"] {
            #expect(shown("", header) == .nothing)
        }
        #expect(shown("", nil) == .nothing)
    }

    @Test("a wrong key and a wrong token are refused with different messages")
    func refused() {
        #expect(throws: APIError.invalidKey) { try APICredentials.malformedKey.token() }
        #expect(throws: APIError.loginRequired) { try APICredentials.nothing.token() }
        #expect(APICredentials.malformedKey.refusal.status == 403)
        #expect(APICredentials.nothing.refusal.status == 401)
    }

    @Test("a query is parsed as browsers write it")
    func query() {
        let fields = FormFields("a=b%20c+d&empty=&bare&%61%3D=e%26&a=second&broken=%zz%4&snow=%E2%98%83")
        #expect(fields["a"] == "b c d")
        #expect(fields["empty"] == "")
        #expect(fields["bare"] == "")
        #expect(fields["a="] == "e&")
        #expect(fields["broken"] == "%zz%4")
        #expect(fields["snow"] == "☃")
        #expect(fields["absent"] == nil)
        let many = (0..<1_000).map { "k\($0)=\($0)" }.joined(separator: "&")
        #expect(FormFields(many)["k63"] == "63")
        #expect(FormFields(many)["k64"] == nil)
    }

    @Test("a request that accepts JSON gets its errors in JSON")
    func accept() {
        func prefers(_ accept: String?) -> Bool {
            APIRequest(.get, path: "/", accept: accept).prefersJSON
        }
        #expect(prefers("application/json, text/plain, */*"))
        #expect(prefers("Application/JSON"))
        #expect(!prefers("*/*"))
        #expect(!prefers("text/html"))
        #expect(!prefers(nil))
    }

    @Test("a login form is parsed")
    func login() throws {
        let form = try LoginForm(
            Array(
                "username=me%40x.example&password=p%26w+d&grant_type=password&client_id=any&scope=read+write"
                    .utf8))
        #expect(form.email.address == "me@x.example")
        #expect(form.password.text == "p&w d")
    }

    @Test(
        "an invalid login form is refused",
        arguments: [
            ("username=me%40x&password=p", .unsupportedGrant),
            ("username=me%40x&password=p&grant_type=refresh_token", .unsupportedGrant),
            ("username=me&password=p&grant_type=password", .invalidGrant),
            ("username=me%40x&password=&grant_type=password", .invalidGrant),
            ("username=me%40x&grant_type=password", .invalidGrant),
            ("{}", .unsupportedGrant),
            (String(repeating: "a", count: APIRequest.bodyBytes + 1), .tooLarge),
        ] as [(String, APIError)])
    func badLogin(body: String, error: APIError) {
        #expect(throws: error) { try LoginForm(Array(body.utf8)) }
    }
}

@Suite("Errors of the API")
struct APIErrorTests {
    @Test("an API error is JSON for clients that prefer it")
    func json() throws {
        let answer = APIResponse(.invalidKey, prefersJSON: true)
        #expect(answer.status == 403)
        #expect(
            Sample.text(answer)
                == #"{"status":"failed","reason":"NotAuthorized","message":"Invalid API key"}"#)
        #expect(
            Sample.text(APIResponse(.noSuchPod, prefersJSON: true))
                == #"{"status":"failed","reason":"NotFound","#
                + #""message":"No such device or device is not associated with user"}"#)
        #expect(
            Sample.text(APIResponse(.noSuchPage, prefersJSON: true))
                == #"{"status":"failed","reason":"NotFound","message":"Not Found"}"#)
    }

    @Test("an API error is a page, as recorded, for other clients")
    func page() {
        let answer = APIResponse(
            .badRequest("parameter 'newValue' invalid: Invalid targetTemperature in  (capabilities: <b>&\")"),
            prefersJSON: false)
        #expect(answer.status == 400)
        #expect(answer.contentType == .html)
        #expect(
            Sample.text(answer)
                == "<html><head><title>400 BadRequest - Sensibo</title></head><body><h>400 BadRequest</h>"
                + "<p>parameter &#x27;newValue&#x27; invalid: Invalid targetTemperature in  "
                + "(capabilities: &lt;b&gt;&amp;&quot;)</p><body></html>")
    }

    @Test("some API errors have the same form for every client, as clients expect", arguments: [true, false])
    func always(prefersJSON: Bool) throws {
        let login = APIResponse(.loginRequired, prefersJSON: prefersJSON)
        #expect((login.status, login.contentType) == (401, .text))
        #expect(Sample.text(login) == "login_required")
        let limited = APIResponse(.limited(retryAfter: .seconds(3)), prefersJSON: prefersJSON)
        #expect((limited.status, limited.retryAfter) == (429, .seconds(3)))
        #expect(try Sample.json(limited)["status"] as? Int == 429)
        let grant = APIResponse(.invalidGrant, prefersJSON: prefersJSON)
        #expect(grant.status == 400)
        #expect(
            try Sample.json(grant) as? [String: String]
                == ["error": "invalid_grant", "error_description": "Invalid credentials given."])
    }

    @Test(
        "an API error has its status",
        arguments: [
            (.tooLarge, 413), (.tooSlow, 408), (.busy(retryAfter: .milliseconds(5)), 429),
            (.notAllowed("x"), 403),
            (.historyBeyondPlan, 403), (.unavailable, 502), (.timedOut, 504), (.broken("x"), 500),
            (.noSuchRemoteCommand, 500),
            (.noTimer, 404), (.noSchedule, 404), (.methodNotAllowed([.get]), 405), (.unsupportedGrant, 400),
        ] as [(APIError, Int)])
    func statuses(error: APIError, status: Int) throws {
        for prefersJSON in [true, false] {
            #expect(APIResponse(error, prefersJSON: prefersJSON).status == status)
        }
        let json = try Sample.json(APIResponse(error, prefersJSON: true))
        #expect(json["status"] as? String == "failed" || json["error"] is String)
    }

    @Test("an API error follows from the controller's refusal")
    func refusals() throws {
        let key = APICredentials.malformedKey
        #expect(APIError(.offline(lastSeen: nil), to: key) == nil)
        #expect(APIError(.unauthenticated, to: key) == .invalidKey)
        #expect(APIError(.unauthenticated, to: .nothing) == .loginRequired)
        #expect(APIError(.notFound, to: key) == .noSuchPod)
        #expect(APIError(.busy(retryAfter: .seconds(1)), to: key) == .busy(retryAfter: .seconds(1)))
        #expect(APIError(.invalid("x"), to: key) == .badRequest("x"))
        #expect(APIError(.notAllowed("x"), to: key) == .notAllowed("x"))
        #expect(APIError(.idMismatch, to: key)?.status == 500)
        let full = try #require(APIError(.storageFull(retryAfter: .seconds(1)), to: key))
        #expect((full.status, APIResponse(full, prefersJSON: true).retryAfter) == (503, .seconds(1)))
    }
}

@Suite("Lines about requests")
struct RequestLogLinesTests {
    @Test(
        "a path is shown without its query, and without what could be a secret",
        arguments: [
            ("/api/v2/pods/VMe9BNPT/acStates", "/api/v2/pods/VMe9BNPT/acStates"),
            ("/api/v2/users/me/pods?apiKey=SECRET", "/api/v2/users/me/pods"),
            ("/api/v2/users/me/pods&apiKey=SECRET", "/api/v2/users/me/pods…"),
            ("/api/v2/users/me/pods%3FapiKey=SECRET", "/api/v2/users/me/pods…"),
            ("/api/v2/apiKey=SECRET", "/api/v2/apiKey…"),
            ("/a/" + String(repeating: "S", count: 64) + "/b", "/a/…/b"),
            ("/a b", "/a…"), ("/é", "/…"), ("*", "…"), ("", ""),
        ])
    func paths(target: String, shown: String) {
        #expect(RequestLogLines.path(target) == shown)
    }

    @Test("a long path is cut")
    func longPath() {
        let shown = RequestLogLines.path(String(repeating: "/ab", count: 5_000))
        #expect(shown.count == 201 && shown.hasSuffix("/ab/a…"))
    }
}
