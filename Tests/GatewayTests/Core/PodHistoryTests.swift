import FleetProtocol
import Foundation
import Testing

@testable import GatewayCore

@Suite("History of pods")
struct PodHistoryTests {
    private func report(
        _ outcome: Outcome, _ command: CommandKind? = .set, number: UInt64 = 0
    ) throws -> OutcomeReport {
        OutcomeReport(
            requestID: RequestID(high: Sample.request.high, low: number), device: Sample.device,
            outcome: outcome, user: try Sample.user(), command: command)
    }

    private func changes(
        in history: PodHistory, limit: String? = nil, fields: String? = nil
    ) throws -> [String: Any] {
        let answer = try APIResponse.changes(
            of: try Sample.pod(), in: history, current: nil, limit: limit,
            fields: RecordFields(query: fields),
            place: (try Sample.account(), SiteRegister()), now: Sample.present)
        return try Sample.json(answer)
    }

    private func events(
        in history: PodHistory, current: StateChange? = nil, limit: String? = nil
    ) throws -> [String: Any] {
        try Sample.json(
            APIResponse.events(
                of: try Sample.pod(), in: history, current: current, limit: limit, now: Sample.present))
    }

    /// The values of a key in all records of a list.
    private func values(_ key: String, in list: [String: Any]) throws -> [AnyHashable?] {
        try #require(list["result"] as? [[String: Any]]).map { $0[key] as? AnyHashable }
    }

    @Test("a pod's changes are listed the newest first, each with its cause")
    func listed() throws {
        var history = PodHistory()
        let causes: [ChangeCause] = [.request, .handRemote, .climateReact, .correction, .app, .timer]
        var before = Sample.state(on: false, version: 1)
        for (index, cause) in causes.enumerated() {
            let after = Sample.state(on: index % 2 == 0, version: UInt64(index + 2))
            history.record(after, from: before, by: cause, secondsAgo: Int64(60 - index))
            before = after
        }
        try expect(
            changes(in: history),
            has: """
                {"status": "success", "moreResults": false, "result": [
                    {"reason": "Scheduler", "changedProperties": ["on"], "time": {"secondsAgo": 55}},
                    {"reason": "UserRequest", "changedProperties": ["on"]},
                    {"reason": "StateCorrectionByUser", "changedProperties": ["on"]},
                    {"reason": "Trigger", "changedProperties": ["on"]},
                    {"reason": "ExternalIrCommand", "changedProperties": ["on"]},
                    {"reason": "UserAPI", "changedProperties": ["on"]}]}
                """)
        #expect(
            history.changeTimes(of: Sample.device)
                == Pod.ChangeTimes(last: Sample.ago(55), toOn: Sample.ago(56), toOff: Sample.ago(55)))
    }

    @Test(
        "as many changes are listed as requested, at most twenty",
        arguments: [(nil, 20), ("3", 3), ("100", 20)] as [(String?, Int)])
    func limit(limit: String?, count: Int) throws {
        var history = PodHistory()
        for version in UInt64(1)...25 {
            history.record(
                Sample.state(on: version % 2 == 0, version: version), from: Sample.state(on: version % 2 == 1)
            )
        }
        let answer = try changes(in: history, limit: limit)
        #expect(try values("id", in: answer).count == count)
        try expect(answer, has: #"{"moreResults": true}"#)
    }

    @Test("a limit that is not a number from 1 is refused", arguments: ["0", "-1", "abc", "", "1.5"])
    func badLimit(limit: String) throws {
        let error = APIError.badRequest("parameter 'limit' invalid: \(limit): expected a number from 1")
        #expect(throws: error) { try changes(in: PodHistory(), limit: limit) }
        #expect(throws: error) { try events(in: PodHistory(), limit: limit) }
    }

    @Test("a pod without recorded changes has its state as an event, which no request caused")
    func fresh() throws {
        let current = StateChange(
            of: Sample.device, to: Sample.state(version: 1), from: nil, by: .request, at: Sample.ago(9))
        try expect(
            events(in: PodHistory(), current: current),
            has: """
                {"status": "success", "result": [{"eventKind": 1000000,
                    "details": {"reason": "UserRequest", "acState": {"on": true}}}]}
                """)
    }

    @Test("a factory reset is not a request of the API")
    func reset() throws {
        var history = PodHistory()
        history.record(Sample.state(on: false, version: 1), from: Sample.state(), secondsAgo: 9)
        #expect(try values("reason", in: changes(in: history)) == ["UserRequest"])
    }

    @Test("a change is listed once, in either order of its two reports", arguments: [true, false])
    func twice(outcomeFirst: Bool) throws {
        var history = PodHistory()
        let (before, after) = (Sample.state(on: false, version: 3), Sample.state(version: 4))
        let report = try report(.applied(after))
        if outcomeFirst { history.record(report, from: nil, at: Sample.now) }
        history.record(after, from: before)
        if !outcomeFirst { history.record(report, from: nil, at: Sample.now) }
        let changes = history.changes(of: Sample.device, limit: 20)
        #expect(changes.count == 1)
        #expect(changes.first?.user == report.user)
        #expect(changes.first?.before == before.state)
    }

    @Test("a listed change has the ID that its author got")
    func sameID() throws {
        var history = PodHistory()
        let after = Sample.state(on: false, version: 4)
        history.record(after, from: Sample.state())
        let result = try Sample.result(
            of: try APIResponse.stateChange(
                Sample.request, of: try Sample.pod(), by: .request,
                end: .outcome(.applied(after)), parameter: "newValue", user: try Sample.user(),
                now: Sample.present))
        let id = try #require(member(result, "id") as? String)
        #expect(try values("id", in: changes(in: history)) == [id])
    }

    @Test("each change has the pod if the fields name it, as those of Hubitat's driver do")
    func withDevice() throws {
        var history = PodHistory()
        history.record(Sample.state(on: false, version: 4), from: Sample.state())
        let named = try #require(
            try changes(in: history, fields: "status,acState,device")["result"] as? [[String: Any]])
        #expect(named.map { Set($0.keys) } == [["status", "acState", "device"]])
        try expect(
            named.first?["device"],
            has: """
                {"productModel": "skyv2", "temperatureUnit": "C", "firmwareVersion": "SKY30046",
                    "measurements": {"temperature": 21.5}}
                """)
        for fields in ["*", "status", nil] {
            #expect(try values("device", in: changes(in: history, fields: fields)) == [nil])
        }
    }

    @Test("updates that differ in version only, and settings, are not listed as changes")
    func versions() throws {
        var history = PodHistory()
        history.record(Sample.state(version: 4), from: Sample.state(version: 3))
        history.record(try report(.applied(Sample.state(version: 5)), .configure), from: nil, at: Sample.now)
        #expect(history.changes(of: Sample.device, limit: 20).isEmpty)
        history.record(Sample.state(on: false, version: 6), from: nil, by: .handRemote)
        history.record(Sample.state(on: false, version: 7), from: nil)
        #expect(history.changes(of: Sample.device, limit: 20).count == 1)
    }

    @Test("a change that may have been made is undetermined, not failed, and an open one is not listed")
    func undetermined() throws {
        var history = PodHistory()
        let before = Sample.state().state
        history.record(try report(.unknown), from: before, at: Sample.now)
        history.record(try report(.undetermined(.deviceReset)), from: before, at: Sample.now)
        #expect(try values("status", in: changes(in: history)) == ["Undetermined"])
    }

    @Test("a failed change is listed with its reason")
    func failures() throws {
        var history = PodHistory()
        history.record(try report(.expired), from: Sample.state().state, at: Sample.now)
        history.record(try report(.rejected("no"), number: 1), from: Sample.state().state, at: Sample.now)
        history.record(try report(.expired, number: 2), from: nil, at: Sample.now)
        #expect(try values("failureReason", in: changes(in: history)) == ["InvalidState", "Timeout"])
        #expect(try values("status", in: changes(in: history)) == ["Failed", "Failed"])
        #expect(history.changeTimes(of: Sample.device) == Pod.ChangeTimes())
    }

    @Test("changes of a pod and of Climate React are listed as events")
    func changesAsEvents() throws {
        var history = PodHistory()
        history.record(
            Sample.state(version: 4), from: Sample.state(on: false), by: .climateReact, secondsAgo: 30)
        var settings = DeviceSettings()
        settings.climateReact = ClimateReact(
            low: ClimateReact.Side(tenths: 190, change: ACStateChange(isOn: true)), high: nil)
        history.record(settings, of: Sample.device, at: Sample.ago(20))
        history.record(settings, of: Sample.device, at: Sample.ago(15))
        settings.climateReact?.isEnabled = false
        history.record(settings, of: Sample.device, at: Sample.ago(10))
        let listed = try events(in: history)
        let id = Sample.device.description
        #expect(try values("objectId", in: listed) == [id, id, id, id])
        try expect(
            listed,
            has: """
                {"status": "success", "result": [
                    {"eventKind": 1030000, "details": {"smartmode": {"enabled": false}}},
                    {"eventKind": 1032000}, {"eventKind": 1000000},
                    {"eventKind": 1031000, "timestamp": "2026-01-31T11:59:31Z",
                        "details": {"reason": "Trigger", "changedProperties": ["on"]}}]}
                """)
    }

    @Test(
        "a schedule, timer or threshold that caused a change is an event of its own",
        arguments: [
            (.schedule, 1_020_000, "Schedule"), (.timer, 1_020_000, "Timer"),
            (.climateReact, 1_031_000, nil), (.request, nil, nil), (.handRemote, nil, nil),
        ] as [(ChangeCause, Int?, String?)])
    func causes(cause: ChangeCause, kind: Int?, type: String?) throws {
        var history = PodHistory()
        history.record(Sample.state(version: 4), from: Sample.state(on: false), by: cause, secondsAgo: 30)
        let all = try events(in: history)
        #expect(try values("eventKind", in: all) == [1_000_000] + (kind.map { [$0] } ?? []))
        for event in try #require(all["result"] as? [[String: Any]]) {
            #expect(member(event, "details", "causedByScheduleType") as? String == type)
            #expect(member(event, "details", "acState", "on") as? Bool == true)
        }
        #expect(try values("eventKind", in: events(in: history, limit: "1")) == [1_000_000])
    }

    @Test("changes have the requested keys, and unknown ones are ignored")
    func changeFields() throws {
        var history = PodHistory()
        history.record(Sample.state(version: 4), from: Sample.state(on: false), secondsAgo: 30)
        func keys(_ query: String?) throws -> Set<String> {
            let records = try changes(in: history, fields: query)["result"] as? [[String: Any]]
            return Set(try #require(records?.first).keys)
        }
        // The keys that Sensibo's Python library requests.
        let asked = "status,reason,time,acState,causedByUser,causedByScheduleID,causedByScheduleType"
        let known = Set(asked.split(separator: ",").map(String.init)).subtracting(["causedByScheduleID"])
        #expect(try keys(asked) == known)
        #expect(try keys("id") == ["id"])
        let all = try keys(nil)
        #expect(all.count == 12)
        for query in ["", "*", "id,*", ","] { #expect(try keys(query) == all) }
        for key in all { #expect(try keys(" \(key) ") == [key]) }
    }

    @Test("measurements have the requested keys")
    func measurementFields() throws {
        func keys(_ query: String?, _ model: ProductModel = .sky) throws -> Set<String> {
            let records = try Sample.result(
                of: APIResponse.measurements(
                    of: try Sample.pod(model), fields: RecordFields(query: query), now: Sample.present))
            return Set(try #require((records as? [[String: Any]])?.first).keys)
        }
        #expect(try keys(nil) == ["time", "temperature", "humidity", "feelsLike", "rssi"])
        #expect(try keys("temperature,humidity") == ["temperature", "humidity"])
        #expect(try keys("time,pm25,temperature", .pure) == ["time", "pm25"])
        #expect(try keys("nothing").isEmpty)
    }

    @Test("a day of measurements is listed, and more needs a subscription")
    func measurements() throws {
        var history = PodHistory()
        for second in stride(from: Int64(90_000), through: 0, by: -90) {
            history.record(
                try Sample.measured(deciCelsius: Int16(second / 90) - 100), of: Sample.device,
                at: Sample.ago(second))
        }
        let pod = try Sample.pod()
        let answer = try APIResponse.history(of: pod, in: history, days: nil, now: Sample.present)
        let series = try #require(try Sample.result(of: answer) as? [String: [[String: Any]]])
        #expect(Set(series.keys) == ["temperature", "humidity"])
        #expect(series["temperature"]?.count == 960)
        #expect(series["temperature"]?.last?["value"] as? Double == -10)
        #expect(series["temperature"]?.first?["value"] as? Double == 85.9)
        #expect(series["humidity"]?.last?["value"] as? Double == 45.7)
        #expect(series["temperature"]?.last?["time"] as? String == "2026-01-31T12:00:01Z")
        #expect(throws: APIError.historyBeyondPlan) {
            try APIResponse.history(of: pod, in: history, days: "2", now: Sample.present)
        }
        #expect(throws: APIError.self) {
            try APIResponse.history(of: pod, in: history, days: "0", now: Sample.present)
        }
    }

    @Test("a measurement is listed as one element, and none without data")
    func measurement() throws {
        let one = APIResponse.measurements(of: try Sample.pod(), now: Sample.present)
        try expect(Sample.result(of: one), has: #"[{"temperature": 21.5, "time": {"secondsAgo": 20}}]"#)
        let silent = Pod(
            device: DeviceID(fleetSeed: 1, index: 1), name: "x", reported: Sample.state(), asOf: Sample.now,
            presence: Presence(.unknown, since: Sample.now))
        try expect(Sample.result(of: APIResponse.measurements(of: silent, now: Sample.present)), has: "[]")
    }

    @Test("a removed device's history is deleted")
    func removed() throws {
        var history = PodHistory()
        history.record(Sample.state(version: 4), from: Sample.state(on: false), by: .app)
        history.record(try Sample.measured(), of: Sample.device, at: Sample.now)
        history.remove(Sample.device)
        #expect(history.changes(of: Sample.device, limit: 20).isEmpty)
        #expect(history.samples(of: Sample.device, since: Sample.ago(60)).isEmpty)
    }

    @Test("history is divided among devices: with many, each has fewer entries, but at least one")
    func shares() throws {
        var rings = FairRings<Int>(most: 10, total: 40)
        let devices = (0..<60).map { DeviceID(fleetSeed: 1, index: UInt64($0)) }
        for value in 0..<20 { for device in devices.prefix(4) { rings.append(value, to: device) } }
        #expect(rings.count == 40)
        #expect(Array(rings[devices[0]]) == Array(10..<20))
        for value in 20..<40 { for device in devices.prefix(8) { rings.append(value, to: device) } }
        #expect(rings.count == 40)
        #expect(Array(rings[devices[0]]) == Array(35..<40))
        #expect(Array(rings[devices[7]]) == Array(35..<40))
        for value in 40..<42 { for device in devices { rings.append(value, to: device) } }
        #expect(rings.count == 60)
        #expect(devices.allSatisfy { Array(rings[$0]) == [41] })
        for device in devices.dropFirst() { rings.remove(device) }
        for value in 42..<60 { rings.append(value, to: devices[0]) }
        #expect(Array(rings[devices[0]]) == Array(50..<60))
    }
}

extension PodHistory {
    /// Records another state of the sample device.
    fileprivate mutating func record(
        _ after: DeviceState, from before: DeviceState?, by cause: ChangeCause = .request,
        secondsAgo: Int64 = 0
    ) {
        record(
            after, of: Sample.device, from: before?.state, by: cause,
            at: Sample.ago(secondsAgo))
    }
}
