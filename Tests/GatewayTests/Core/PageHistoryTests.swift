import FleetProtocol
import FleetReplica
import Foundation
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
        #expect(
            try entries("changes", PageHistory.json(of: Sample.device, in: pods, RequestEnds())).isEmpty)
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
