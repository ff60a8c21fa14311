import FleetProtocol
import FleetReplica
import Foundation
import ReplicaTestSupport
import Testing
import UserText

@testable import GatewayCore

@Suite("A device's history on the page")
struct PageHistoryTests {
    private let other = DeviceID(fleetSeed: 1, index: 1)

    private func end(_ outcome: Outcome, of device: DeviceID = Sample.device) throws -> FleetEvent {
        let report = OutcomeReport(
            requestID: Sample.request, device: device, outcome: outcome, user: try Sample.user(),
            timing: OutcomeReport.Timing(totalUs: 210))
        return FleetEvent(
            at: Sample.now, .outcome(FleetEvent.Outcome(report: report, device: nil, before: nil)))
    }

    private func entries(_ key: String, _ past: JSONObject) throws -> [[String: Any]] {
        let bytes = JSONWriter.bytes(of: past)
        let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        return try #require(object?[key] as? [[String: Any]])
    }

    @Test("the page's history has measurements in degrees and percent, oldest first")
    func measurements() throws {
        var pods = PodHistory()
        pods.record(
            try Sample.measured(deciCelsius: -15, permille: 333), of: Sample.device, at: Sample.ago(90))
        pods.record(try Sample.measured(deciCelsius: 215), of: Sample.device, at: Sample.ago(1))
        pods.record(try Sample.measured(), of: other, at: Sample.now)
        let measured = try entries(
            "measurements", PageHistory.json(of: Sample.device, in: pods, RequestEnds()))
        #expect(measured.map { $0["temperature"] as? Double } == [-1.5, 21.5])
        #expect(measured.map { $0["humidity"] as? Double } == [33.3, 45.7])
        // A measurement's time has hundredths of a second.
        #expect(measured.first?["at"] as? Int64 == Sample.ago(90).unixMilliseconds / 10 * 10)
    }

    @Test("the page's history begins with the state before the first change, at the first measurement")
    func changes() throws {
        var pods = PodHistory()
        pods.record(try Sample.measured(), of: Sample.device, at: Sample.ago(3_600))
        pods.record(
            Sample.state(on: true, version: 2), of: Sample.device, from: Sample.state(on: false).state,
            by: .handRemote, at: Sample.ago(60))
        pods.record(
            Sample.state(on: false, version: 3), of: Sample.device, from: Sample.state(on: true).state,
            by: .request, at: Sample.ago(30))
        let changes = try entries("changes", PageHistory.json(of: Sample.device, in: pods, RequestEnds()))
        #expect(changes.map { $0["on"] as? Bool } == [false, true, false])
        #expect(changes.map { $0["cause"] as? String } == [nil, "handRemote", "request"])
        #expect(
            changes.map { $0["at"] as? Int64 } == [
                Sample.ago(3_600).unixMilliseconds / 10 * 10, Sample.ago(60).unixMilliseconds,
                Sample.ago(30).unixMilliseconds,
            ])
        #expect(changes.allSatisfy { $0["mode"] as? String == "cool" })
    }

    @Test("the page's history has no change for a request that changed nothing")
    func failures() throws {
        var pods = PodHistory()
        let report = OutcomeReport(
            requestID: Sample.request, device: Sample.device, outcome: .expired, user: try Sample.user(),
            command: .toggle)
        pods.record(report, from: Sample.state().state, at: Sample.now)
        #expect(pods.changes(of: Sample.device, limit: 9).count == 1)
        #expect(try entries("changes", PageHistory.json(of: Sample.device, in: pods, RequestEnds())).isEmpty)
    }

    @Test("the page's history has outcomes as text, with their users and durations")
    func ends() throws {
        var ends = RequestEnds()
        ends.record(try end(.applied(Sample.state(on: true))))
        ends.record(try end(.expired))
        ends.record(try end(.cancelled, of: other))
        let result = try entries("outcomes", PageHistory.json(of: Sample.device, in: PodHistory(), ends))
        #expect(result.map { $0["kind"] as? String } == ["applied", "expired"])
        #expect(result.first?["words"] as? String == "Turned on")
        #expect(result.first?["actor"] as? String == "demo@sensibus.local")
        #expect(result.first?["latencyMicroseconds"] as? Int == 210)
        #expect(result.first?["requestId"] as? String == "0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07")
        #expect(result.first?["at"] as? Int64 == Sample.now.unixMilliseconds)
    }

    @Test("each device keeps its last outcomes, fewer with many devices, and none once removed")
    func bounds() throws {
        var ends = RequestEnds(endsInAll: 100)
        for _ in 0..<80 { ends.record(try end(.expired)) }
        #expect(ends.of(Sample.device).count == RequestEnds.endsAtMost)
        ends.record(try end(.expired, of: other))
        ends.record(try end(.applied(Sample.state())))
        #expect(ends.of(Sample.device).count == 50)
        #expect(ends.of(Sample.device).last?.report.outcome == .applied(Sample.state()))
        let removed = FleetEvent.Device(id: Sample.device, name: nil, node: nil)
        ends.record(FleetEvent(at: Sample.now, .removed(removed)))
        #expect(ends.of(Sample.device).isEmpty)
        #expect(ends.of(other).count == 1)
    }
}

@Suite("The end of a request on the page")
struct PageOutcomeTests {
    private func object(_ value: JSONObject) throws -> [String: Any] {
        let bytes = JSONWriter.bytes(of: value)
        return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    /// The state at version 9 in a reply.
    private func expectState(in reply: [String: Any]) throws {
        try expect(
            reply,
            has: """
                {"state": {"on": true, "version": 9, "incarnation": "000000000000abcd", "mode": "cool",
                 "targetTemperature": 22, "unit": "C", "fanLevel": "auto"}}
                """)
    }

    @Test(
        "a request's end has the device's state and version if the outcome has them",
        arguments: [
            Outcome.applied(Fixture.state(on: true, version: 9)),
            .unchanged(Fixture.state(on: true, version: 9)),
            .conflict(Fixture.state(on: true, version: 9)),
        ])
    func state(outcome: Outcome) throws {
        let report = try Fixture.report(outcome)
        try expectState(in: try object(PageOutcome.json(report)))
        try expectState(in: try object(PageOutcome.json(report, at: Fixture.start.wall)))
    }

    @Test(
        "a request's end has no state if the outcome has none",
        arguments: [Outcome.expired, .cancelled, .rejected("no"), .undetermined(.deviceReset), .unknown])
    func noState(outcome: Outcome) throws {
        let reply = try object(PageOutcome.json(try Fixture.report(outcome)))
        #expect(reply["state"] is NSNull)
    }

    @Test("a cancel that was too late is answered with the end of the request")
    func tooLate() throws {
        let report = try Fixture.report(.applied(Fixture.state(on: true, version: 9)))
        let reply = try object(PageOutcome.json(.tooLate(report), of: report.requestID))
        try expect(reply, has: #"{"kind": "too-late", "words": "Too late to cancel: it’s on"}"#)
        let end = try #require(reply["end"] as? [String: Any])
        #expect(end["kind"] as? String == "applied")
        try expectState(in: end)
        for answer in [CancelReply.cancelled, .pending] {
            #expect(try object(PageOutcome.json(answer, of: report.requestID))["end"] == nil)
        }
    }

    @Test("a request's end has a sentence for its outcome and its command")
    func text() throws {
        let state = Fixture.state(on: true, version: 9)
        func text(_ outcome: Outcome, by command: CommandKind? = .toggle) throws -> String {
            var report = try Fixture.report(outcome)
            report.command = command
            return PageOutcome.text(of: report)
        }
        #expect(try text(.applied(state)) == "Turned on")
        #expect(try text(.applied(Fixture.state())) == "Turned off")
        #expect(try text(.applied(state), by: .set) == "Set to on, cool 22 °C")
        #expect(try text(.applied(state), by: .configure) == "Settings changed")
        #expect(try text(.conflict(state)) == "Already changed: it’s on now. Nothing was sent.")
        #expect(try text(.expired) == "The device didn’t respond in time. Nothing changed.")
        #expect(try text(.cancelled) == "Cancelled. Nothing changed.")
    }
}

@Suite("The search field of the page")
struct PageFilterTests {
    private let driver: ReplicaDriver

    init() throws {
        var driver = try ReplicaDriver.whole(names: ["Hall", "Attic (old)", "Kitchen"])
        driver.receive(.reported(Fixture.device(2), Fixture.state(on: true, version: 2)))
        self.driver = driver
    }

    private func line(_ text: String, among devices: [DeviceID]? = nil) -> String {
        PageFilter(text).json(of: driver.replica, among: devices).line
    }

    private func line(of numbers: [Int]) -> String {
        let ids = numbers.map { "\"\(Fixture.device($0))\"" }.joined(separator: ",")
        return #"{"devices":[\#(ids)],"problem":null}"#
    }

    @Test(
        "a text is a condition",
        arguments: [
            ("on", [2]), ("off and not hall", [1]), ("", [0, 1, 2]), ("kitch", [2]), ("temperature > 0", []),
        ])
    func condition(text: String, shown: [Int]) {
        #expect(line(text) == line(of: shown))
    }

    @Test("a malformed condition is a part of a name, and has the column of its error")
    func malformed() {
        let problem = "column 8: unexpected “(”; allowed: and, or, or the end"
        let devices = #"{"devices":["\#(Fixture.device(1))"],"#
        #expect(line("attic  (OLD)") == devices + #""problem":"\#(problem)"}"#)
    }

    @Test("only the devices of a question are decided, and unknown ones are not shown")
    func question() {
        let devices = [Fixture.device(1), Fixture.device(7), Fixture.device(2)]
        #expect(line("off", among: devices) == line(of: [1]))
        #expect(line("off", among: []) == line(of: []))
    }
}

@Suite("Refusals on the page")
struct RefusalPageTextTests {
    private static let refusals: [Refusal] = [
        .offline(lastSeen: nil), .busy(retryAfter: .seconds(1)),
        .storageFull(retryAfter: .seconds(1)), .unauthenticated, .notFound,
        .invalid("the title is empty"), .idMismatch, .idTooOld(behind: .seconds(90)),
        .notAllowed("viewers are read-only"), .offDuty(.noRoster), .offDuty(.noShift), .offDuty(.others),
    ]

    @Test("refusals on the page are sentences without commands of a terminal", arguments: refusals)
    func sentences(refusal: Refusal) {
        let text = refusal.pageText
        #expect(text.first?.isUppercase == true && text.hasSuffix("."), "\(text)")
        #expect(!text.contains("`") && !text.contains("fleet ") && !text.contains("--"), "\(text)")
    }

    @Test("refusals of off-duty users say who can switch devices")
    func offDuty() {
        let rule = "Only people on duty and owners can switch devices."
        #expect(Refusal.offDuty(.others).pageText == "You’re not on duty. \(rule)")
        #expect(Refusal.offDuty(.noShift).pageText == "No one is on duty now. \(rule)")
        #expect(Refusal.offDuty(.noRoster).pageText == "The account has no roster yet. \(rule)")
    }
}
