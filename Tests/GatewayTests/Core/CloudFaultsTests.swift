import FleetProtocol
import Foundation
import Testing
import UserText

@testable import GatewayCore

@Suite("Cloud faults")
struct CloudFaultsTests {
    private static let start = Moment(monotonic: MonotonicTime(nanoseconds: 5_000_000_000), wall: Sample.now)
    private static let read = CloudRequest(isWrite: false, path: "/api/v2/pods/x")
    private static let write = CloudRequest(isWrite: true, path: "/api/v2/pods/x")

    private static func after(_ time: Duration) -> Moment { start.advanced(by: time) }

    private static func injected(
        _ fault: CloudFault, number: UInt64 = 1, for time: Duration = .seconds(30), met: UInt64 = 0
    ) -> PlannedCloudFault {
        PlannedCloudFault(
            number: number, fault: fault, span: .injected(age: .zero, remaining: time), met: met)
    }

    /// A gateway's faults that have just been reported.
    private static func faults(_ planned: PlannedCloudFault..., seed: UInt64 = 1) -> CloudFaults {
        var faults = CloudFaults()
        faults.apply(CloudPlan(revision: 7, seed: seed, faults: planned), at: start.monotonic)
        return faults
    }

    private static func fault(
        _ kind: CloudFault.Kind, _ change: (inout CloudFault) -> Void = { _ in }
    ) -> CloudFault {
        var fault = CloudFault(kind)
        change(&fault)
        return fault
    }

    @Test("request faults have their effects as long as they last")
    func kinds() throws {
        let expected: [(CloudFault, (CloudTreatment) -> Bool)] = [
            (Self.fault(.slow), { $0.lateness == .init(fault: 1, delay: .seconds(10)) }),
            (Self.fault(.hang), { $0.hang == 1 }),
            (Self.fault(.error) { $0.status = 502 }, { $0.error == 502 }),
            (Self.fault(.noResult), { $0.losesResult }),
            (Self.fault(.failed), { $0.fails }),
            (Self.fault(.noCode), { $0.lacksCode }),
            (Self.fault(.limit), { $0.isLimited }),
            (Self.fault(.reset), { $0.damage == .reset }),
            (Self.fault(.truncated), { $0.damage == .truncated }),
            (Self.fault(.html), { $0.damage == .html }),
        ]
        #expect(
            expected.count + CloudFault.Kind.allCases.count { $0.isOfPods } == CloudFault.Kind.allCases.count)
        let write = CloudRequest(
            isWrite: true, path: "/api/v2/pods/x/acStates", .acStates, of: try Sample.pod())
        for (fault, holds) in expected {
            var faults = Self.faults(Self.injected(fault))
            let met = faults.meet(write, at: Self.after(.milliseconds(29_999)).monotonic)
            #expect(holds(met), "\(fault.kind.name)")
            #expect(faults.meet(write, at: Self.after(.seconds(30)).monotonic) == .none)
        }
    }

    @Test("faults apply to reads or writes only if they say so, and failures to changes only")
    func requests() {
        var faults = Self.faults(Self.injected(Self.fault(.error) { $0.requests = .writes }))
        #expect(faults.meet(Self.read, at: Self.start.monotonic) == .none)
        #expect(faults.meet(Self.write, at: Self.start.monotonic).error == 500)
        faults = Self.faults(Self.injected(Self.fault(.hang) { $0.requests = .reads }))
        #expect(faults.meet(Self.read, at: Self.start.monotonic).hang == 1)
        #expect(faults.meet(Self.write, at: Self.start.monotonic) == .none)
        faults = Self.faults(Self.injected(Self.fault(.failed)))
        #expect(faults.meet(Self.read, at: Self.start.monotonic) == .none)
    }

    @Test("missing-code faults apply to changes of a state only, and count no others")
    func codes() throws {
        let pod = try Sample.pod()
        var faults = Self.faults(Self.injected(Self.fault(.noCode) { $0.times = 2 }))
        func meet(_ part: APIRoute.PodPart, isWrite: Bool = true) -> CloudTreatment {
            let request = CloudRequest(isWrite: isWrite, path: "/api/v2/pods/x", part, of: pod)
            return faults.meet(request, at: Self.start.monotonic)
        }
        #expect(meet(.acStates, isWrite: false) == .none)
        for part: APIRoute.PodPart in [.timer, .smartMode, .schedules, .calibration, .filterNotification] {
            #expect(meet(part) == .none)
        }
        #expect(faults.meet(Self.write, at: Self.start.monotonic) == .none)
        #expect(meet(.acStates).lacksCode && meet(.acState("on")).lacksCode)
        #expect(meet(.acStates) == .none)
    }

    @Test(
        "a fault with a path applies to the requests of that path",
        arguments: [
            ("/api/v2/pods/*", true), ("/api/*/pods/x", true), ("/api/v2/pods/x/", true), ("/*/*/*/*", true),
            ("/api/v2/pods", false), ("/api/v2/pods/*/acStates", false), ("/api/v2/pods/y", false),
            ("/", false),
        ])
    func paths(path: String, isMeant: Bool) {
        var faults = Self.faults(Self.injected(Self.fault(.error) { $0.path = path }))
        #expect((faults.meet(Self.read, at: Self.start.monotonic).error != nil) == isMeant)
    }

    @Test("faults of named pods apply to requests for these only, by ID or name")
    func pods() throws {
        let pod = try Sample.pod(name: "Hall")
        let read = CloudRequest(isWrite: false, path: "/api/v2/pods/x", .whole, of: pod)
        for word in ["Hall", pod.device.description] {
            var faults = Self.faults(Self.injected(Self.fault(.error) { $0.pods = [word] }))
            #expect(faults.meet(Self.read, at: Self.start.monotonic) == .none)
            #expect(faults.meet(read, at: Self.start.monotonic).error == 500)
        }
        var others = Self.faults(Self.injected(Self.fault(.error) { $0.pods = ["hall"] }))
        #expect(others.meet(read, at: Self.start.monotonic) == .none)
    }

    @Test("a fault ends after its number of requests, including those of another gateway")
    func times() {
        let once = Self.fault(.error) { $0.times = 3 }
        var faults = Self.faults(Self.injected(once, met: 1))
        let met = (0..<4).map { _ in faults.meet(Self.read, at: Self.start.monotonic).error }
        #expect(met == [500, 500, nil, nil])
        #expect(faults.report == CloudReport(revision: 7, meetings: [.init(number: 1, met: 3)]))
        // An older count does not restore it.
        let plan = CloudPlan(revision: 8, faults: [Self.injected(once, met: 2)])
        faults.apply(plan, at: Self.start.monotonic)
        #expect(faults.meet(Self.read, at: Self.start.monotonic) == .none)
    }

    @Test("a fault that has reached its count still lasts for requests that wait because of it")
    func lasting() {
        var faults = Self.faults(Self.injected(Self.fault(.slow) { $0.times = 1 }))
        #expect(faults.meet(Self.read, at: Self.start.monotonic).lateness != nil)
        #expect(faults.lasts(1, at: Self.after(.seconds(29)).monotonic))
        #expect(!faults.lasts(1, at: Self.after(.seconds(30)).monotonic))
        faults.apply(CloudPlan(revision: 8), at: Self.start.monotonic)
        #expect(!faults.lasts(1, at: Self.start.monotonic))
    }

    @Test("a fault's share is that ratio of requests, and the same for the same seed")
    func share() {
        func count(seed: UInt64) -> [Bool] {
            var faults = Self.faults(Self.injected(Self.fault(.error) { $0.share = 0.2 }), seed: seed)
            return (0..<2_000).map { _ in faults.meet(Self.read, at: Self.start.monotonic).error != nil }
        }
        #expect((340...460).contains(count(seed: 1).count { $0 }))
        #expect(count(seed: 1) == count(seed: 1))
        #expect(count(seed: 1) != count(seed: 2))
    }

    @Test("a request that is not executed has no further faults, and the longer of two delays applies")
    func together() {
        var faults = Self.faults(
            Self.injected(Self.fault(.slow) { $0.delay = .seconds(2) }, number: 1),
            Self.injected(Self.fault(.slow) { $0.delay = .seconds(1) }, number: 2),
            Self.injected(Self.fault(.error), number: 3), Self.injected(Self.fault(.noResult), number: 4))
        let treatment = faults.meet(Self.read, at: Self.start.monotonic)
        #expect(treatment.lateness == .init(fault: 1, delay: .seconds(2)))
        #expect(treatment.error == 500)
        #expect(!treatment.losesResult)
        #expect(faults.report.meetings.map(\.number) == [1, 2, 3])
    }

    @Test("a scenario's fault applies between its times of each simulated day, also over midnight")
    func days() {
        // Hours, because the compiler takes seconds for a literal expression in each of these calls.
        func inForce(from: UInt32, to: UInt32, after: Duration, rest: Duration = .zero) -> Bool {
            let span = PlannedCloudFault.Span.daily(from: from * 3_600, to: to * 3_600, rest: rest)
            let planned = PlannedCloudFault(number: 1, fault: CloudFault(.error), span: span)
            // From 06:00, an hour per minute, and two minutes ago.
            let plan = CloudPlan(
                revision: 1, day: CloudDay(speed: 60, start: 6 * 3_600), elapsed: .seconds(120),
                faults: [planned])
            return plan.age(of: planned, after: after) != nil
        }
        #expect(!inForce(from: 9, to: 10, after: .seconds(59)))
        #expect(inForce(from: 9, to: 10, after: .seconds(60)))
        #expect(inForce(from: 9, to: 10, after: .milliseconds(119_999)))
        #expect(!inForce(from: 9, to: 10, after: .seconds(120)))
        #expect(inForce(from: 9, to: 10, after: .seconds(1_500)))
        #expect(inForce(from: 22, to: 9, after: .zero))
        #expect(!inForce(from: 22, to: 9, after: .seconds(60)))
        #expect(inForce(from: 0, to: 0, after: .zero))
        #expect(!inForce(from: 0, to: 0, after: .seconds(4), rest: .seconds(5)))
        #expect(inForce(from: 0, to: 0, after: .seconds(5), rest: .seconds(5)))
    }

    @Test("metrics have a gauge of faults by kind, and counters of the affected requests")
    func metrics() {
        var faults = Self.faults(
            Self.injected(Self.fault(.error)), Self.injected(Self.fault(.badPod), number: 2))
        _ = faults.meet(Self.read, at: Self.start.monotonic)
        var text = MetricsText()
        faults.write(to: &text, at: Self.start.monotonic)
        for line in [
            "sensibus_cloud_faults{fault=\"error\"} 1", "sensibus_cloud_faults{fault=\"bad-pod\"} 1",
            "sensibus_cloud_faults{fault=\"hang\"} 0", "sensibus_cloud_faults_met_total{fault=\"error\"} 1",
        ] {
            #expect(text.text.contains(line + "\n"), "\(line)")
        }
    }

    @Test("an answer that loses its result is a success without one, and an error is unchanged")
    func withoutResult() throws {
        #expect(Sample.text(APIResponse.done.withoutResult) == #"{"status":"success"}"#)
        let error = APIResponse(.noSuchPod, prefersJSON: true)
        #expect(error.withoutResult == error)
    }

    @Test(
        "an error fault has its status, and 401, 403 and 429 equal the API's own answers",
        arguments: CloudFault.statuses)
    func statuses(status: Int) throws {
        let answer = APIResponse(.fault(status: status), prefersJSON: false)
        #expect(answer.status == status)
        let inJSON = APIResponse(.fault(status: status), prefersJSON: true)
        guard status != 401 else {
            #expect(answer == APIResponse(.loginRequired, prefersJSON: false))
            return #expect(inJSON == answer)
        }
        #expect(answer.contentType == (status == 429 ? .json : .html))
        #expect(inJSON.contentType == .json)
        if status == 403 { #expect(inJSON == APIResponse(.invalidKey, prefersJSON: true)) }
        if status == 429 { #expect(try Sample.json(answer)["status"] as? Int == 429) }
    }
}

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
        try expect(state, has: #"{"targetTemperature": 22, "timestamp": {"secondsAgo": 90}}"#)
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
