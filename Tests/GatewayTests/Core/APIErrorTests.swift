import FleetProtocol
import Foundation
import GatewayCore
import Testing

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
