import FleetProtocol
import Testing
import UserText

@testable import GatewayCore

/// What the control API of a test server understands, and what it refuses.
@Suite("Requests to a test server")
struct TestControlTests {
    private func refusal(_ work: () throws -> Void) -> String? {
        do {
            try work()
            return nil
        } catch {
            return (error as? APIError)?.message ?? "\(error)"
        }
    }

    // MARK: Clock

    @Test("changes of the clock come in one order, whatever the order of the members")
    func clockChanges() throws {
        let time = try #require(TimeText.moment(written: "2026-03-29T00:30:00Z"))
        #expect(try ClockChange.list(Array(#"{"advance":"3h"}"#.utf8)) == [.advance(.seconds(10_800))])
        #expect(try ClockChange.list(Array(#"{"advance":0.5}"#.utf8)) == [.advance(.milliseconds(500))])
        let all = #"{"advance":60,"time":"2026-03-29T00:30:00Z","held":true}"#
        #expect(try ClockChange.list(Array(all.utf8)) == [.hold(true), .set(time), .advance(.seconds(60))])
    }

    @Test(
        "other changes are refused with what is allowed",
        arguments: [
            ("", "give advance, time or held"), ("{}", "give advance, time or held"),
            (#"{"advance":-5}"#, "advance must be a duration from 0 s and up to"),
            (#"{"time":"1999-12-31T23:59:59Z"}"#, "time must be"),
            (#"{"time":"2100-01-01T00:00:00Z"}"#, "time must be"), (#"{"advance":1e300}"#, "advance must be"),
            (#"{"advance":"32d"}"#, "advance must be"), (#"{"advance":"800h"}"#, "advance must be"),
            (#"{"time":"tomorrow"}"#, "time must be a time such as 2026-03-29T00:30:00Z"),
            (#"{"held":"perhaps"}"#, "held must be true or false"),
            (#"{"hold":true}"#, "unknown member hold: allowed are advance, held, time"),
            ("[]", "the body must be a JSON object"),
        ])
    func clockRefusals(body: String, message: String) {
        let refused = refusal { _ = try ClockChange.list(Array(body.utf8)) }
        #expect(refused?.hasPrefix(message) == true, "\(refused ?? "accepted")")
    }

    // MARK: Faults

    @Test("each fault that a command can inject has its form, with the usual duration")
    func faultKinds() throws {
        for kind in InjectedKind.all {
            let body = #"{"fault":"\#(kind.name)","devices":["Bedroom 1"]}"#
            let cloudWide = #"{"fault":"\#(kind.name)"}"#
            let isOfDevices = kind != .cloud(.limit)
            let form = try FaultForm(Array((isOfDevices ? body : cloudWide).utf8))
            #expect(form.devices == (isOfDevices ? ["Bedroom 1"] : []))
            #expect(form.duration == .seconds(30))
        }
    }

    @Test("the members of a cloud fault are those of the command")
    func cloudFault() throws {
        let body = #"{"fault":"cloud-error","status":429,"times":2,"only":"writes","share":0.5,"for":"1m"}"#
        let form = try FaultForm(Array(body.utf8))
        guard case .cloud(let fault) = form.kind else {
            Issue.record("not a cloud fault")
            return
        }
        #expect(fault.status == 429 && fault.times == 2 && fault.requests == .writes && fault.share == 0.5)
        #expect(form.duration == .seconds(60))
    }

    @Test(
        "other faults are refused with what is allowed",
        arguments: [
            ("{}", "fault must be one of offline, hang,"),
            (#"{"fault":"flood"}"#, "fault must be one of"),
            (#"{"fault":"offline"}"#, "devices must name one or more devices"),
            (#"{"fault":"offline","devices":[1]}"#, "devices must be a list of strings"),
            (#"{"fault":"flip","devices":"A","for":5}"#, "flip has no for"),
            (#"{"fault":"offline","devices":"A","by":5}"#, "offline has no by"),
            (#"{"fault":"offline","devices":"A","status":500}"#, "offline has no status"),
            (#"{"fault":"cloud-error","status":418}"#, "status must be one of 401,"),
            (#"{"fault":"cloud-error","status":500.5}"#, "status must be one of"),
            (#"{"fault":"cloud-slow","share":0}"#, "share must be a number from"),
            (#"{"fault":"cloud-slow","only":"all"}"#, "only must be reads or writes"),
            (#"{"fault":"cloud-limit","devices":["A"]}"#, "cloud-limit has no devices"),
            (
                #"{"fault":"cloud-bad-pod","nulled":"room","missing":"room"}"#,
                "give one of nulled and missing"
            ),
            (#"{"fault":"cloud-bad-pod","nulled":"x"}"#, "give one of nulled and missing"),
            (#"{"fault":"cloud-error","times":0}"#, "times must be a number from"),
            (#"{"fault":"cloud-error","times":5e9}"#, "times must be a number from"),
            (#"{"fault":"cloud-error","for":"25h"}"#, "for must be a duration above 0 s and up to 24h"),
        ])
    func faultRefusals(body: String, message: String) {
        let refused = refusal { _ = try FaultForm(Array(body.utf8)) }
        #expect(refused?.hasPrefix(message) == true, "\(refused ?? "accepted")")
    }

    @Test("a room needs air that a pod can measure")
    func rooms() throws {
        let form = try RoomForm(Array(#"{"temperature":31.5}"#.utf8))
        #expect(form.celsius == 31.5 && form.humidityPercent == nil)
        for body in [
            "{}", #"{"temperature":90}"#, #"{"humidity":0}"#, #"{"co2":-1}"#, #"{"motion":"much"}"#,
            #"{"motion":true,"occupied":false}"#,
        ] {
            #expect(refusal { _ = try RoomForm(Array(body.utf8)) } != nil, "\(body)")
        }
    }

    @Test("air that is set prevails from its second on, and what it does not name is simulated")
    func air() throws {
        let (device, room) = (Sample.device, SimulatedRoom(of: Sample.device))
        var history = PodHistory()
        for (body, second) in [(#"{"co2":1400,"tvoc":300}"#, Int64(100)), (#"{"co2":600}"#, 200)] {
            history.setRoom(of: device, try RoomForm(Array(body.utf8)), fromSecond: second)
        }
        let set = history.rooms.course(of: device)
        func air(_ second: Int64) -> (set: AirQuality, simulated: AirQuality) {
            let time = WallTime(unixMilliseconds: second * 1_000)
            return (AirQuality(in: room, at: time, set: set[time]), AirQuality(in: room, at: time))
        }
        #expect(air(99).set == air(99).simulated)
        #expect(air(100).set.co2 == 1_400 && air(100).set.tvoc == 300 && air(100).set.iaq == 3)
        #expect(air(100).set.pm25 == air(100).simulated.pm25)
        #expect(air(200).set.co2 == 600 && air(200).set.tvoc == 300)
    }

    // MARK: Requests

    private func recorded(_ requests: [(String, String, String, Int)]) -> RecordedRequests {
        var recorded = RecordedRequests()
        for (method, target, body, status) in requests {
            let parts = target.split(separator: "?", maxSplits: 1)
            recorded.add { number in
                RecordedRequest(
                    number: number, at: WallTime(unixMilliseconds: 1_000), method: method,
                    path: String(parts[0]), query: FormFields(parts.count > 1 ? String(parts[1]) : ""),
                    body: Array(body.utf8), status: status, faults: [])
            }
        }
        return recorded
    }

    private func found(_ pattern: String, in requests: RecordedRequests) throws -> JSONObject {
        requests.json(matching: try RequestPattern(Array(pattern.utf8)))
    }

    @Test("a pattern matches by method, parts of the path, query, and members of the body")
    func patterns() throws {
        let requests = recorded([
            ("PATCH", "/api/v2/pods/A/acStates/on?apiKey=secret", #"{"newValue":true}"#, 200),
            ("GET", "/api/v2/pods/A?fields=id&apiKey=secret", "", 200),
            ("POST", "/api/v2/pods/B/acStates", #"{"acState":{"on":true,"mode":"heat","mode":"dry"}}"#, 429),
        ])
        for (pattern, count) in [
            ("", 3), ("{}", 3), (#"{"method":"patch"}"#, 1), (#"{"path":"/api/v2/pods/*/acStates/*"}"#, 1),
            (#"{"path":"/api/v2/pods/*/acStates"}"#, 1), (#"{"query":{"fields":"id"}}"#, 1),
            (#"{"body":{"newValue":true}}"#, 1), (#"{"body":{"newValue":"true"}}"#, 0),
            (#"{"body":null}"#, 1), (#"{"body":{"newValue":1}}"#, 0),
            (#"{"query":{"fields":null}}"#, 2),
            // Of members with the same key the last one counts, as in a command.
            (#"{"body":{"acState":{"mode":"dry"}}}"#, 1), (#"{"body":{"acState":{"mode":"heat"}}}"#, 0),
            (#"{"status":429}"#, 1), (#"{"status":200,"method":"GET"}"#, 1),
        ] {
            #expect(try found(pattern, in: requests)["count"] as? Int == count, "\(pattern)")
        }
        #expect(try !found("{}", in: requests).line.contains("secret"))
    }

    @Test("without a match, the nearest request is named with what it has in place of the pattern")
    func nearest() throws {
        let requests = recorded([
            ("GET", "/api/v2/users/me/pods", "", 200),
            ("PATCH", "/api/v2/pods/A/acStates/on", #"{"newValue":false}"#, 200),
        ])
        let pattern = #"{"method":"PATCH","path":"/api/v2/pods/*/acStates/on","body":{"newValue":true}}"#
        let answer = try found(pattern, in: requests)
        #expect((answer["nearest"] as? RecordedRequest)?.number == 2)
        #expect(answer["differences"] as? [String] == [#"body {"newValue":false}"#])
        #expect(try found("{}", in: RecordedRequests()).keys == ["count", "total", "requests"])
    }

    @Test("only the newest requests are stored, and all are counted")
    func bound() throws {
        var requests = RecordedRequests()
        for _ in 0..<25_000 {
            requests.add { number in
                RecordedRequest(
                    number: number, at: WallTime(unixMilliseconds: 0), method: "GET", path: "/",
                    query: FormFields(""), body: [], status: 200, faults: [])
            }
        }
        let answer = try found("{}", in: requests)
        #expect(answer["count"] as? Int == RecordedRequests.atMost)
        #expect(answer["total"] as? Int == 25_000)
        #expect((answer["requests"] as? [RecordedRequest])?.first?.number == 15_001)
    }

    @Test("the oldest requests are dropped when all together have too many bytes")
    func byteBound() throws {
        var requests = RecordedRequests()
        let body = [UInt8](repeating: UInt8(ascii: "7"), count: 64 << 10)
        for _ in 0..<1_100 {
            requests.add { number in
                RecordedRequest(
                    number: number, at: WallTime(unixMilliseconds: 0), method: "POST", path: "/",
                    query: FormFields(""), body: body, status: 200, faults: [])
            }
        }
        let answer = try found("{}", in: requests)
        #expect(answer["count"] as? Int == 1_023 && answer["total"] as? Int == 1_100)
        #expect((answer["requests"] as? [RecordedRequest])?.first?.number == 78)
    }
}
