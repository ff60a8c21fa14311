import FleetProtocol
import Foundation
import GatewayCore
import Testing

@Suite("Results of changes")
struct StateChangeTests {
    private func record(
        _ end: PodCommandOutcome, by cause: ChangeCause = .request
    ) throws -> [String: Any] {
        let answer = try APIResponse.stateChange(
            Sample.request, of: try Sample.pod(), by: cause, end: end, parameter: "newValue",
            user: try Sample.user(), now: Sample.present)
        return try #require(try Sample.result(of: answer) as? [String: Any])
    }

    @Test("an applied change is a record of the changed properties")
    func applied() throws {
        let after = Sample.state(on: false, target: 24, version: 4)
        let record = try record(.outcome(.applied(after)))
        #expect(record["status"] as? String == "Success")
        #expect(record["reason"] as? String == "UserAPI")
        #expect(record["failureReason"] is NSNull)
        #expect(record["changedProperties"] as? [String] == ["on", "targetTemperature"])
        #expect((record["acState"] as? [String: Any])?["on"] as? Bool == false)
        #expect((record["acState"] as? [String: Any])?["targetTemperature"] as? Int == 24)
        #expect((record["time"] as? [String: Any])?["time"] as? String == "2026-01-31T12:00:01Z")
        #expect((record["causedByUser"] as? [String: Any])?["email"] as? String == "demo@sensibus.local")
        #expect((record["id"] as? String)?.utf8.count == 10)
    }

    @Test("a change to the current state is a success without changed properties")
    func unchanged() throws {
        let record = try record(.outcome(.unchanged(Sample.state())))
        #expect(record["status"] as? String == "Success")
        #expect(record["changedProperties"] as? [String] == [])
    }

    @Test("a correction is a record with that reason")
    func correction() throws {
        let record = try record(
            .outcome(.applied(Sample.state(on: false, version: 4))), by: .correction)
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
        #expect(record["changedProperties"] as? [String] == [])
        #expect((record["resultingAcState"] as? [String: Any])?["on"] as? Bool == true)
        let settings = try Sample.json(
            try settingsChange(end))
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
        #expect(record["failureReason"] is NSNull)
        #expect(record["changedProperties"] as? [String] == [])
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
        #expect(json["status"] as? String == "failed")
        #expect(json["reason"] as? String == "NoSuchRemoteCommand")
        let result = try #require(json["result"] as? [String: [String: Any]])
        #expect((result["currentAcState"]?["mode"] as? String) == "cool")
        let request = try #require(result["request"])
        #expect(
            Set(request.keys) == [
                "id", "status", "reason", "failureReason", "changedProperties", "acState",
            ])
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
        let react = try #require(
            Sample.result(of: settingsChange(of: .smartMode, in: pod)) as? [String: Any])
        #expect(react["deviceUid"] as? String == pod.device.description)
        #expect(react["highTemperatureThreshold"] as? Int == 28)
        #expect(try settingsChange(of: .smartMode, in: pod) == .climateReact(of: pod))
        #expect(try settingsChange(of: .timer, in: pod) == .timer(of: pod, now: Sample.present))
        #expect(
            try settingsChange(of: .schedule(id.description), in: pod)
                == .schedule(id.description, of: pod, now: Sample.present))
        #expect(
            try Sample.result(of: settingsChange(of: .calibration, in: pod)) as? [String: Double]
                == ["temperature": 1.5, "humidity": 0])
        let boost = try #require(
            Sample.result(of: settingsChange(of: .pureBoost, in: pod)) as? [String: Any])
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
