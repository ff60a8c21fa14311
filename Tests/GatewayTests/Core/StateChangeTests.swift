import FleetProtocol
import Foundation
import GatewayCore
import Testing

@Suite("Results of changes")
struct StateChangeTests {
    private func record(_ end: PodCommandOutcome, by cause: ChangeCause = .request) throws -> [String: Any] {
        let answer = try APIResponse.stateChange(
            Sample.request, of: try Sample.pod(), by: cause, end: end, parameter: "newValue",
            user: try Sample.user(), now: Sample.present)
        return try #require(try Sample.result(of: answer) as? [String: Any])
    }

    @Test("an applied change is a record of the changed properties")
    func applied() throws {
        let after = Sample.state(on: false, target: 24, version: 4)
        let record = try record(.outcome(.applied(after)))
        try expect(
            record,
            has: """
                {"status": "Success", "reason": "UserAPI", "failureReason": null, "changedProperties": ["on",
                 "targetTemperature"], "acState": {"on": false, "targetTemperature": 24},
                 "time": {"time": "2026-01-31T12:00:01Z"}, "causedByUser": {"email": "demo@sensibus.local"}}
                """)
        #expect((record["id"] as? String)?.utf8.count == 10)
    }

    @Test("a change to the current state is a success without changed properties")
    func unchanged() throws {
        let record = try record(.outcome(.unchanged(Sample.state())))
        try expect(record, has: #"{"status": "Success", "changedProperties": []}"#)
    }

    @Test("a correction is a record with that reason")
    func correction() throws {
        let record = try record(.outcome(.applied(Sample.state(on: false, version: 4))), by: .correction)
        #expect(record["reason"] as? String == "StateCorrectionByUser")
    }

    @Test(
        "a change that was not made is a failure with its reason, and the old state",
        arguments: [
            (.offline, "Timeout"), (.outcome(.expired), "Timeout"), (.outcome(.cancelled), "Cancelled"),
            (.outcome(.conflict(Sample.state())), "Conflict"),
        ] as [(PodCommandOutcome, String)])
    func failed(end: PodCommandOutcome, reason: String) throws {
        let record = try record(end)
        #expect(record["status"] as? String == "Failed")
        #expect(record["failureReason"] as? String == reason)
        try expect(record, has: #"{"changedProperties": [], "resultingAcState": {"on": true}}"#)
        let settings = try Sample.json(try settingsChange(end))
        #expect(settings["status"] as? String == "failed")
        #expect(settings["reason"] as? String == reason)
    }

    @Test(
        "a change that may have been made is not a failure",
        arguments: [(.unknown, "Unknown"), (.undetermined(.deviceGone), "Undetermined")]
            as [(Outcome, String)])
    func open(outcome: Outcome, word: String) throws {
        let record = try record(.outcome(outcome))
        #expect(record["status"] as? String == word)
        try expect(record, has: #"{"failureReason": null, "changedProperties": []}"#)
        let settings = try settingsChange(.outcome(outcome))
        #expect(
            Sample.text(settings)
                == #"{"status":"\#(word.lowercased())","reason":"\#(word)","result":null}"#)
    }

    @Test("a change that the device rejects is an error with the device's reason")
    func rejected() throws {
        let error = APIError.badRequest(
            "parameter 'newValue' invalid: target temperature 99 °C: mode cool allows 16 to 30 °C")
        let end = PodCommandOutcome.outcome(
            .rejected("target temperature 99 °C: mode cool allows 16 to 30 °C"))
        #expect(throws: error) { try record(end) }
        #expect(throws: error) { try settingsChange(end) }
    }

    @Test("a change without a remote code is an error with the requested and the current state")
    func noCode() throws {
        func answer(_ prefersJSON: Bool) throws -> APIResponse {
            let pod = try Sample.pod()
            return .noSuchRemoteCommand(
                Sample.request, pod.state.applying(ACStateChange(mode: .dry)), of: pod,
                prefersJSON: prefersJSON, now: Sample.present)
        }
        #expect(try answer(true).status == 500)
        let json = try Sample.json(try answer(true))
        #expect(Set(json.keys) == ["status", "reason", "result"])
        try expect(json, has: #"{"status": "failed", "reason": "NoSuchRemoteCommand"}"#)
        let result = try #require(json["result"] as? [String: [String: Any]])
        #expect((result["currentAcState"]?["mode"] as? String) == "cool")
        let request = try #require(result["request"])
        #expect(
            Set(request.keys) == ["id", "status", "reason", "failureReason", "changedProperties", "acState"])
        #expect(request["status"] as? String == "Failed")
        #expect(request["failureReason"] as? String == "NoSuchRemoteCommand")
        #expect(request["changedProperties"] as? [String] == [])
        #expect((request["acState"] as? [String: Any])?["mode"] as? String == "dry")
        let page = try answer(false)
        #expect((page.status, page.contentType) == (500, .html))
        #expect(Sample.text(page).contains("<h>500 NoSuchRemoteCommand</h>"))
    }

    @Test("a change of settings has the settings as a read returns them, and a removal has none")
    func settings() throws {
        let id = ScheduleID(randomBits: 7)
        var settings = DeviceSettings()
        settings.climateReact = ClimateReact(
            low: nil, high: .init(tenths: 280, change: ACStateChange(isOn: true, mode: .cool)))
        settings.timer = DeviceTimer(
            change: ACStateChange(isOn: false), due: Sample.now, createdAt: Sample.now)
        settings.schedules = [try Sample.schedule(id)]
        settings.calibration = SensorCalibration(deciCelsius: 15)
        settings.pureBoost = PureBoost(sensitivity: .sensitive)
        let pod = try Sample.pod(settings: settings)
        let react = try #require(Sample.result(of: settingsChange(of: .smartMode, in: pod)) as? [String: Any])
        try expect(react, has: #"{"deviceUid": "\#(pod.device)", "highTemperatureThreshold": 28}"#)
        #expect(try settingsChange(of: .smartMode, in: pod) == .climateReact(of: pod, now: Sample.present))
        #expect(try settingsChange(of: .timer, in: pod) == .timer(of: pod, now: Sample.present))
        #expect(
            try settingsChange(of: .schedule(id.description), in: pod)
                == .schedule(id.description, of: pod, now: Sample.present))
        #expect(
            try Sample.result(of: settingsChange(of: .calibration, in: pod)) as? [String: Double]
                == ["temperature": 1.5, "humidity": 0])
        let boost = try #require(Sample.result(of: settingsChange(of: .pureBoost, in: pod)) as? [String: Any])
        #expect(boost["sensitivity"] as? String == "S")
        for (part, pod) in [(nil, pod), (.timer, try Sample.pod()), (.smartMode, nil)]
            as [(APIRoute.PodPart?, Pod?)]
        {
            #expect(
                Sample.text(try settingsChange(of: part, in: pod)) == #"{"status":"success","result":null}"#)
        }
    }

    private func settingsChange(
        _ end: PodCommandOutcome = .outcome(.applied(Sample.state())), of part: APIRoute.PodPart? = nil,
        in pod: Pod? = nil
    ) throws -> APIResponse {
        try .settingsChange(end: end, of: part, in: pod, parameter: "newValue", now: Sample.present)
    }
}

@Suite("Changes of settings")
struct SettingChangeTests {
    private static let now = WallTime(unixMilliseconds: 1_800_000_000_000)

    @Test("a change of settings is confirmed by settings that have it, and not by earlier ones")
    func shown() throws {
        let id = ScheduleID(randomBits: 7)
        let change = ACStateChange(isOn: false)
        let plan = SchedulePlan(
            change: change, time: try #require(LocalTime("22:15")), weekdays: Weekdays([.sunday]), zone: .utc)
        var react = ClimateReact(isEnabled: true, measure: .temperature, low: nil, high: nil)
        var settings = DeviceSettings()
        func accepts(_ change: SettingChange, _ set: (inout DeviceSettings) -> Void) {
            #expect(!change.isShown(by: settings), "\(change)")
            set(&settings)
            #expect(change.isShown(by: settings), "\(change)")
        }
        accepts(.schedule(id, plan)) {
            $0.schedules = [
                DeviceSchedule(id: id, plan: plan, createdAt: Self.now, due: Self.now, calendarDue: Self.now)
            ]
        }
        accepts(.scheduleEnabled(id, false)) { $0.schedules[0].isEnabled = false }
        accepts(.noSchedule(id)) { $0.schedules = [] }
        accepts(.timer(change, afterSeconds: 60)) { $0.timer = DeviceTimer(change: change, due: Self.now) }
        accepts(.noTimer) { $0.timer = nil }
        accepts(.climateReact(react)) { $0.climateReact = react }
        react.isEnabled = false
        accepts(.climateReactEnabled(false)) { $0.climateReact = react }
        accepts(.calibration(deciCelsius: -15, humidityPermille: nil)) {
            $0.calibration = SensorCalibration(deciCelsius: -15, humidityPermille: 20)
        }
        #expect(SettingChange.calibration(deciCelsius: nil, humidityPermille: 20).isShown(by: settings))
        accepts(.filterThreshold(seconds: 7_200)) {
            $0.filter = FilterStatus(
                cleanedAt: nil, thresholdSeconds: 7_200, recordedAt: Self.now, secondsPerSecond: 0)
        }
        accepts(.filterCleaned) {
            $0.filter = FilterStatus(
                cleanedAt: Self.now, thresholdSeconds: 7_200, recordedAt: Self.now, secondsPerSecond: 0)
        }
    }
}
