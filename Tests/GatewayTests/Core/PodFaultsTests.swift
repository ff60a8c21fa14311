import FleetProtocol
import Foundation
import Testing

@testable import GatewayCore

@Suite("Pods under cloud faults")
struct PodFaultsTests {
    private static let now = Moment(monotonic: MonotonicTime(nanoseconds: 90_000_000_000), wall: Sample.now)

    private static func faults(_ list: CloudFault..., age: Duration = .seconds(60)) throws -> PodFaults {
        var faults = CloudFaults()
        let planned = list.enumerated().map { number, fault in
            PlannedCloudFault(
                number: UInt64(number + 1), fault: fault,
                span: .injected(age: age, remaining: .seconds(60)))
        }
        faults.apply(CloudPlan(revision: 1, seed: 5, faults: planned), at: now.monotonic)
        return try #require(faults.podFaults(at: now))
    }

    /// A pod that was switched on 90 s ago and set to 25 °C 10 s ago, with its history.
    private static func sample() throws -> (Pod, PodHistory) {
        var history = PodHistory()
        let (off, on) = (Sample.state(on: false, version: 1), Sample.state(version: 2))
        let warm = Sample.state(target: 25, version: 3)
        history.record(on, of: Sample.device, from: off.state, by: .request, at: Sample.ago(90))
        history.record(warm, of: Sample.device, from: on.state, by: .request, at: Sample.ago(10))
        history.record(try Sample.measured(deciCelsius: 190), of: Sample.device, at: Sample.ago(70))
        history.record(try Sample.measured(deciCelsius: 215), of: Sample.device, at: Sample.ago(20))
        let changes = history.changeTimes(of: Sample.device)
        return (try Sample.pod(state: warm, changes: changes), history)
    }

    private static func state(_ object: [String: Any]) throws -> [String: Any] {
        try #require(object["acState"] as? [String: Any])
    }

    @Test("an offline fault shows the pod as dead since its beginning, with the old state")
    func offline() throws {
        let (pod, history) = try Self.sample()
        let faults = try Self.faults(CloudFault(.offline))
        let object = try Sample.object(of: faults.shown(pod, history))
        let connection = try #require(object["connectionStatus"] as? [String: Any])
        #expect(connection["isAlive"] as? Bool == false)
        #expect(connection["deadReasons"] as? [String] == ["disconnected:unexpectedDisconnection"])
        #expect((connection["lastSeen"] as? [String: Any])?["secondsAgo"] as? Int == 60)
        #expect(try Self.state(object)["targetTemperature"] as? Int == 22)
        #expect((object["measurements"] as? [String: Any])?["temperature"] as? Double == 19)
        #expect(faults.isCutOff(pod))
    }

    @Test("a lag fault shows the pod's state at that time, with that time")
    func lag() throws {
        let (pod, history) = try Self.sample()
        var lag = CloudFault(.lag)
        lag.delay = .seconds(30)
        let object = try Sample.object(of: try Self.faults(lag).shown(pod, history))
        let state = try Self.state(object)
        #expect(state["targetTemperature"] as? Int == 22)
        #expect((state["timestamp"] as? [String: Any])?["secondsAgo"] as? Int == 90)
        #expect((object["connectionStatus"] as? [String: Any])?["isAlive"] as? Bool == true)
        lag.delay = .seconds(100)
        let older = try Sample.object(of: try Self.faults(lag).shown(pod, history))
        #expect(try Self.state(older)["on"] as? Bool == false)
        lag.delay = .seconds(9)
        let newer = try Sample.object(of: try Self.faults(lag).shown(pod, history))
        #expect(try Self.state(newer)["targetTemperature"] as? Int == 25)
    }

    @Test(
        "a bad-pod fault has one key that is null or missing, and all others",
        arguments: CloudFault.PodKey.allCases)
    func bad(key: CloudFault.PodKey) throws {
        let (pod, history) = try Self.sample()
        let whole = try Sample.object(of: pod)
        #expect(whole[key.name] != nil, "\(key.name) is not a key of pods")
        var fault = CloudFault(.badPod)
        fault.key = key
        let nulled = try Sample.object(of: try Self.faults(fault).shown(pod, history))
        #expect(nulled[key.name] is NSNull)
        #expect(Set(nulled.keys) == Set(whole.keys))
        fault.isKeyMissing = true
        let lacking = try Sample.object(of: try Self.faults(fault).shown(pod, history))
        #expect(Set(lacking.keys) == Set(whole.keys).subtracting([key.name]))
    }

    @Test("a share of pods under faults is always the same pods, and about that ratio")
    func share() throws {
        var fault = CloudFault(.offline)
        fault.share = 0.25
        let (early, late) = (try Self.faults(fault, age: .zero), try Self.faults(fault))
        let pods = (0..<1_000).map { index in
            Pod(
                device: DeviceID(fleetSeed: 1, index: index), name: "", reported: Sample.state(),
                asOf: Sample.now, presence: Presence(.online, since: Sample.now))
        }
        let cutOff = pods.filter { early.isCutOff($0) }
        #expect((200...300).contains(cutOff.count))
        #expect(cutOff.map(\.device) == pods.filter { late.isCutOff($0) }.map(\.device))
    }

    @Test("pods that a fault does not name are unchanged")
    func others() throws {
        let (pod, history) = try Self.sample()
        var fault = CloudFault(.offline)
        fault.pods = ["Attic"]
        let faults = try Self.faults(fault)
        #expect(try Sample.object(of: faults.shown(pod, history)).count == Sample.object(of: pod).count)
        #expect(!faults.isCutOff(pod))
        #expect(faults.shown(pod, history).presence.kind == .online)
    }

    @Test("request faults do not change pods")
    func none() {
        var faults = CloudFaults()
        let planned = PlannedCloudFault(
            number: 1, fault: CloudFault(.error), span: .injected(age: .zero, remaining: .seconds(60)))
        faults.apply(CloudPlan(revision: 1, faults: [planned]), at: Self.now.monotonic)
        #expect(faults.podFaults(at: Self.now)?.entries == nil)
    }
}
