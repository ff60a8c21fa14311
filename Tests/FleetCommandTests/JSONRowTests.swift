import FleetProtocol
import ProcessSupport
import Testing
import UserText

@testable import fleet

@Suite("JSON lines")
struct JSONRowTests {
    private static let outcomeKeys = [
        "requestID", "device", "outcome", "state", "version", "incarnation", "attempts", "latencyUs", "user",
        "actor", "command",
    ]

    @Test("a device's JSON has the documented keys in order")
    func device() {
        #expect(
            ListedDevice.sample("Bedroom \"7\"").json.line == #"{"id":""#
                + DeviceID(fleetSeed: 1, index: 0).description
                + #"","name":"Bedroom \"7\"","on":true,"mode":"cool","targetTemperature":22,"#
                + #""fanLevel":"auto","swing":"stopped","horizontalSwing":"stopped","light":"on","temperatureUnit":"C","#
                + #""presence":"online","reason":null,"version":4,"incarnation":"0000000000000abc","#
                + #""asOf":"2026-01-31T12:00:00.123Z","model":null,"site":null,"firmware":null,"remote":null,"#
                + #""measurements":null,"cause":"request","climateReact":null,"timer":null,"filter":null,"schedules":[],"#
                + #""calibration":null,"pureBoost":null,"node":null}"#
        )
    }

    @Test("a device with measurements shows their values and their time")
    func measured() throws {
        let warm = try #require(
            Measurements(deciCelsius: 234, feelsLikeDeciCelsius: 241, humidityPermille: 455, rssiDBm: -61))
        let time = WallTime(unixMilliseconds: 1_769_860_800_123)
        let device = ListedDevice(
            id: DeviceID(fleetSeed: 1, index: 0), name: "Den", reported: .sample,
            presence: Presence(.online, since: time), asOf: time,
            measured: SnapshotChunk.Measured(warm, at: time))
        #expect(
            device.json.text(of: "measurements") == #"{"temperature":23.4,"humidity":45.5,"feelsLike":24.1,"#
                + #""rssi":-61,"at":"2026-01-31T12:00:00.123Z"}"#)
        var writer = DeviceWriter(.table, CSVText())
        #expect(writer.lines(of: [DeviceLine(device: device)]).last?.contains(" 23.4 °C ") == true)
    }

    @Test("an offline device shows its reason")
    func offlineDevice() {
        let device = ListedDevice(
            id: DeviceID(fleetSeed: 1, index: 0), name: "Den", reported: .sample,
            presence: Presence(.offline(.nodeLost), since: WallTime(unixMilliseconds: 0)),
            asOf: WallTime(unixMilliseconds: 0))
        #expect(device.json.text(of: "presence") == #""offline""#)
        #expect(device.json.text(of: "reason") == #""nodeLost""#)
    }

    @Test("an applied toggle's JSON has the documented keys in order")
    func applied() {
        let line = OutcomeLine(
            requestID: .sample, device: .sample("Den"), completion: .report(.sample(.applied(.sample))))
        #expect(
            line.json.line == #"{"requestID":"0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07","device":""#
                + DeviceID(fleetSeed: 1, index: 0).description
                + #"","outcome":"applied","state":{"on":true,"mode":"cool","targetTemperature":22,"#
                + #""fanLevel":"auto","swing":"stopped","horizontalSwing":"stopped","light":"on","temperatureUnit":"C"},"#
                + #""version":4,"incarnation":"0000000000000abc","attempts":1,"#
                + #""latencyUs":214,"user":"demo@sensibus.local","actor":"demo@sensibus.local","command":"toggle"}"#
        )
    }

    @Test(
        "the JSON of every outcome has all keys, and a message unless it is a success",
        arguments: [
            Outcome.unchanged(.sample), .conflict(.sample), .rejected("x"), .cancelled, .expired,
            .undetermined(.deviceGone), .unknown,
        ])
    func outcomes(outcome: Outcome) {
        let line = OutcomeLine(requestID: .sample, device: nil, completion: .report(.sample(outcome)))
        let hasMessage = line.status != .done
        #expect(line.json.keys == Self.outcomeKeys + (hasMessage ? ["message"] : []))
        #expect(line.json.text(of: "outcome") == "\"\(outcome.name)\"")
        #expect((line.json.text(of: "state") == "null") == (outcome.state == nil))
    }

    @Test(
        "a refusal's JSON has its name and its time",
        arguments: [
            (Refusal.offline(lastSeen: WallTime(unixMilliseconds: 0)), ["lastSeen"]),
            (.offline(lastSeen: nil), ["lastSeen"]),
            (.busy(retryAfter: .milliseconds(250)), ["retryAfterMs"]),
            (.storageFull(retryAfter: .milliseconds(250)), ["retryAfterMs"]),
            (.idTooOld(behind: .seconds(1)), ["behindMs"]), (.notFound, []), (.unauthenticated, []),
            (.invalid("x"), []), (.idMismatch, []), (.notAllowed("x"), []),
        ] as [(Refusal, [String])])
    func refusals(refusal: Refusal, extra: [String]) {
        let line = OutcomeLine(requestID: .sample, device: .sample("Den"), completion: .refusal(refusal))
        #expect(line.json.keys == Self.outcomeKeys + ["message"] + extra)
        #expect(line.json.text(of: "outcome") == "\"\(refusal.name)\"")
        #expect(line.status == ExitStatus(refusal))
    }

    @Test("a refusal's times are a timestamp and milliseconds")
    func refusalTimes() {
        func json(_ refusal: Refusal) -> JSONObject {
            OutcomeLine(requestID: .sample, device: nil, completion: .refusal(refusal)).json
        }
        #expect(
            json(.offline(lastSeen: WallTime(unixMilliseconds: 1))).text(of: "lastSeen")
                == #""1970-01-01T00:00:00.001Z""#)
        #expect(json(.busy(retryAfter: .milliseconds(250))).text(of: "retryAfterMs") == "250")
    }

    @Test("the JSON of a request cancelled by a signal shows the result of the cancel")
    func ownCancel() {
        func json(_ answer: CancelReply) -> JSONObject {
            OutcomeLine(requestID: .sample, device: .sample("Den"), completion: .ownCancel(answer)).json
        }
        #expect(json(.cancelled).text(of: "outcome") == #""cancelled""#)
        #expect(json(.cancelled).keys == Self.outcomeKeys + ["message"])
        #expect(json(.pending).text(of: "outcome") == #""cancelPending""#)
        #expect(json(.tooLate(.sample(.applied(.sample)))).keys == Self.outcomeKeys)
    }

    @Test(
        "a cancel's JSON has its result and the outcome",
        arguments: [
            (CancelReply.cancelled, #""result":"cancelled","outcome":"cancelled""#),
            (.tooLate(.sample(.applied(.sample))), #""result":"tooLate","outcome":"applied""#),
            (.pending, #""result":"cancelPending","outcome":null"#),
        ])
    func cancels(answer: CancelReply, rest: String) {
        #expect(
            CancelLine(requestID: .sample, answer: answer).json.line
                == #"{"requestID":"0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07","# + rest + "}")
    }

    @Test("the status JSON has the documented keys in order")
    func status() {
        let report = StatusReport(
            epoch: Epoch(7), devices: 100, online: 90, stale: 4, offline: 6, togglesPerSecond: 12.5)
        let processes = [
            FleetProcess(name: "controller", state: .running, processID: 42),
            FleetProcess(name: "node-1", state: .dead, processID: nil),
        ]
        let place = FleetLocation(
            runDirectory: "/run/f", page: "http://127.0.0.1:8701/", passwordFile: "/run/f/demo-password")
        let fleet = FleetSummary(scenario: "lively", uptime: .milliseconds(90_900))
        let summary = StatusSummary(report: report, processes: processes, fleet: fleet, place: place)
        #expect(
            summary.json.line
                == #"{"devices":100,"online":90,"stale":4,"offline":6,"togglesPerSecond":12.5,"epoch":7,"#
                + #""processes":[{"name":"controller","pid":42,"state":"running"},"#
                + #"{"name":"node-1","pid":null,"state":"dead"}],"runDir":"/run/f","scenario":"lively","#
                + #""uptimeSeconds":90,"page":"http://127.0.0.1:8701/","account":"demo","#
                + #""email":"demo@sensibus.local","passwordFile":"/run/f/demo-password","#
                + #""listen":null,"connect":null,"nodes":[],"conflicts":[],"version":"0.1.0","protocol":1,"user":null,"#
                + #""role":null,"userAccount":null,"storage":{"journalBytes":0,"memoryBytes":0,"#
                + #""storeBytes":0,"logBytes":0},"durability":null}"#)
        #expect(
            summary.lines.dropFirst(2).prefix(8) == [
                "`fleet devices --filter 'not online'` lists the devices that are not online",
                "scenario  lively, up for 1m", "run dir   /run/f", "page      http://127.0.0.1:8701/",
                "account   demo@sensibus.local, password in /run/f/demo-password",
                "version   \(ProgramVersion.summary)", "session   none: log in with `fleet login`",
                "storage   journal 0 KiB, devices' memory 0 KiB, store 0 KiB, logs 0 KiB",
            ])
    }

    @Test("without a controller the status shows the processes, and null for unknown values")
    func statusWithoutController() {
        let processes = [FleetProcess(name: "controller", state: .restarting, processID: nil)]
        let summary = StatusSummary(
            report: nil, processes: processes, place: FleetLocation(runDirectory: "/run/f"))
        #expect(summary.lines.first == "device counts unavailable: no answer from the controller")
        #expect(
            summary.json.line
                == #"{"devices":null,"online":null,"stale":null,"offline":null,"togglesPerSecond":null,"#
                + #""epoch":null,"processes":[{"name":"controller","pid":null,"state":"restarting"}],"#
                + #""runDir":"/run/f","scenario":null,"uptimeSeconds":null,"page":null,"account":null,"#
                + #""email":null,"passwordFile":null,"#
                + #""listen":null,"connect":null,"nodes":[],"conflicts":[],"version":"0.1.0","protocol":1,"user":null,"#
                + #""role":null,"userAccount":null,"storage":{"journalBytes":0,"memoryBytes":0,"#
                + #""storeBytes":0,"logBytes":0},"durability":null}"#)
    }

    @Test("the message of a ready fleet has its processes and its account")
    func ready() {
        let plan = FleetPlan(devices: 3, nodes: 2, seed: 1, scenario: "quiet", restartsNodes: false)
        let processes = ["controller", "node-1", "node-2", "gateway"].enumerated().map {
            FleetProcess(name: $1, state: .running, processID: Int32($0 + 10))
        }
        func summary(_ gatewayURL: String?) -> ReadySummary {
            ReadySummary(
                plan: plan, directory: RunDirectory(path: "/run/f"), processes: processes,
                gatewayURL: gatewayURL)
        }
        #expect(
            summary(nil).json.line
                == #"{"runDir":"/run/f","controller":{"pid":10},"nodes":["#
                + #"{"pid":11,"name":"node-1","devices":2},{"pid":12,"name":"node-2","devices":1}],"#
                + #""gateway":null,"account":"demo","email":"demo@sensibus.local","#
                + #""passwordFile":"/run/f/demo-password"}"#)
        let url = "http://127.0.0.1:8701/"
        #expect(summary(nil).text == "3 devices up. Stop: `fleet down`")
        #expect(summary(url).text == "3 devices up. Page: \(url) Stop: `fleet down`")
        #expect(summary(url).json.line.contains(#""gateway":{"pid":13,"url":"\#(url)"}"#))
    }
}
