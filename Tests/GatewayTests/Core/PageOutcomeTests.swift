import FleetProtocol
import Foundation
import Testing
import UserText

@testable import GatewayCore

@Suite("The end of a request on the page")
struct PageOutcomeTests {
    private func object(_ value: JSONObject) throws -> [String: Any] {
        let bytes = JSONWriter.bytes(of: value)
        return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    /// The state at version 9 in a reply.
    private func expectState(in reply: [String: Any]) throws {
        let state = try #require(reply["state"] as? [String: Any])
        #expect(state["on"] as? Bool == true)
        #expect(state["version"] as? Int == 9)
        #expect(state["incarnation"] as? String == "000000000000abcd")
        #expect(state["mode"] as? String == "cool")
        #expect(state["targetTemperature"] as? Int == 22)
        #expect(state["unit"] as? String == "C")
        #expect(state["fanLevel"] as? String == "auto")
    }

    @Test(
        "a request's end has the device's state and version if the outcome has them",
        arguments: [
            Outcome.applied(TestReplica.state(on: true, version: 9)),
            .unchanged(TestReplica.state(on: true, version: 9)),
            .conflict(TestReplica.state(on: true, version: 9)),
        ])
    func state(outcome: Outcome) throws {
        let report = try TestReplica.report(outcome)
        try expectState(in: try object(PageOutcome.json(report)))
        try expectState(in: try object(PageOutcome.json(report, at: TestReplica.start.wall)))
    }

    @Test(
        "a request's end has no state if the outcome has none",
        arguments: [Outcome.expired, .cancelled, .rejected("no"), .undetermined(.deviceReset), .unknown])
    func noState(outcome: Outcome) throws {
        let reply = try object(PageOutcome.json(try TestReplica.report(outcome)))
        #expect(reply["state"] is NSNull)
    }

    @Test("a cancel that was too late is answered with the end of the request")
    func tooLate() throws {
        let report = try TestReplica.report(.applied(TestReplica.state(on: true, version: 9)))
        let reply = try object(PageOutcome.json(.tooLate(report), of: report.requestID))
        #expect(reply["kind"] as? String == "too-late")
        #expect(reply["words"] as? String == "Too late to cancel: it’s on")
        let end = try #require(reply["end"] as? [String: Any])
        #expect(end["kind"] as? String == "applied")
        try expectState(in: end)
        for answer in [CancelReply.cancelled, .pending] {
            #expect(try object(PageOutcome.json(answer, of: report.requestID))["end"] == nil)
        }
    }

    @Test("a request's end has a sentence for its outcome and its command")
    func text() throws {
        let state = TestReplica.state(on: true, version: 9)
        func text(_ outcome: Outcome, by command: CommandKind? = .toggle) throws -> String {
            var report = try TestReplica.report(outcome)
            report.command = command
            return PageOutcome.text(of: report)
        }
        #expect(try text(.applied(state)) == "Turned on")
        #expect(try text(.applied(TestReplica.state())) == "Turned off")
        #expect(try text(.applied(state), by: .set) == "Set to on, cool 22 °C")
        #expect(try text(.applied(state), by: .configure) == "Settings changed")
        #expect(try text(.conflict(state)) == "Already changed: it’s on now. Nothing was sent.")
        #expect(try text(.expired) == "The device didn’t respond in time. Nothing changed.")
        #expect(try text(.cancelled) == "Cancelled. Nothing changed.")
    }
}
