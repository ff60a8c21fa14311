import FleetProtocol
import Testing
import UserText

@testable import LoadCore

/// The rules of a load over HTTP.
@Suite("A load over HTTP")
struct HTTPLoadTests {
    @Test("each connection carries one request at a time, and states of a device alternate")
    func alternating() throws {
        var run = try HTTPRun(.open(perSecond: 100, connections: 3), devices: 4)
        let result = try run.finish { _, _ in .answer(.success, after: .milliseconds(15)) }
        #expect(result.applied == 1_000 && result.failed == 0 && result.offered == 1_000)
        #expect(run.mostInFlight <= 3 && run.opened == 3)
        let states = run.sent.compactMap { if case .set(let state) = $0 { state } else { nil } }
        #expect(states.count == 1_000)
        for states in Dictionary(grouping: states, by: \.device).values {
            #expect(states.map(\.isOn) == states.indices.map { $0 % 2 == 0 })
        }
    }

    @Test("requests of a mix toggle, set and read pods, and a toggle reverses the state that was set before")
    func mix() throws {
        let plan = try LoadPlan(
            .rate(perSecond: 100, .uniform), duration: .seconds(10), connections: 3,
            mix: LoadMix("toggle=2,set=2,read=1"))
        var run = HTTPRun(plan, devices: 1)
        let result = try run.finish { _, _ in .answer(.success, after: .milliseconds(1)) }
        let kinds = try #require(result.kinds)
        #expect(kinds.map(\.kind) == [.toggle, .set, .read])
        #expect(kinds.map(\.outcomes) == zip(["applied", "applied", "read"], kinds).map { [$0: $1.count] })
        #expect(kinds.map(\.count).reduce(0, +) == 1_000)
        #expect(kinds.allSatisfy { (150...450).contains($0.count) })
        let states = run.sent.compactMap { if case .set(let pod) = $0 { pod.isOn } else { nil } }
        #expect(run.sent.count == 1_000 && states.count == 1_000 - kinds[2].count)
        // Each toggle changes the state, and about half of the sets do.
        let changes = zip([false] + states, states).count { $0 != $1 }
        let sets = kinds[1].count
        #expect((sets / 3...sets * 2 / 3).contains(changes - kinds[0].count))
    }

    @Test("a request that waits for a connection is late from its due time, in the hop of the tester")
    func waiting() throws {
        // One connection serves ten requests a second, and twenty are due.
        var run = try HTTPRun(.open(perSecond: 20, duration: .seconds(2), connections: 1))
        let result = try run.finish { _, _ in .answer(.success, after: .milliseconds(100)) }
        let latest = try #require(result.latencyUs.max)
        #expect((2_000_000...2_100_000).contains(latest))
        #expect(try #require(result.serviceUs.max) < 101_000)
        #expect(result.testerLateUs.max == 0)
        #expect(result.hopParts.map(\.name) == ["tester", "reply"])
        #expect(try #require(result.details.hops.testerUs.max) > 1_900_000)
    }

    @Test("a stall of the gateway shows in full")
    func stall() throws {
        var run = try HTTPRun(.open(perSecond: 100, connections: 4))
        let result = try run.finish { _, elapsed in
            let isStalled = (.seconds(3)..<(.seconds(4))).contains(elapsed)
            return .answer(.success, after: isStalled ? .seconds(4) - elapsed : .milliseconds(1))
        }
        // Of 1,000 requests, 100 are due during the stall, and wait for 500 ms on average.
        #expect(try #require(result.latencyUs.p99) > 850_000)
        #expect(try #require(result.latencyUs.p50) < 2_000)
        #expect(result.applied == 1_000)
    }

    @Test("a closed loop keeps its number of requests in flight")
    func closedLoop() throws {
        let plan = try LoadPlan(.inFlight(8), duration: .seconds(1), connections: 8)
        var run = HTTPRun(plan)
        let result = try run.finish { _, _ in .answer(.success, after: .milliseconds(10)) }
        #expect(run.mostInFlight == 8)
        #expect((790...810).contains(result.applied))
    }

    @Test("a request without an answer is given up, and its connection is closed and opened again")
    func silence() throws {
        var run = try HTTPRun(.open(perSecond: 1, duration: .seconds(20), connections: 2))
        let result = try run.finish { number, _ in
            number == 3 ? .none : .answer(.success, after: .milliseconds(1))
        }
        #expect(result.outcomes == ["applied": 19, "noAnswer": 1])
        #expect(run.closed.count == 1 && run.opened == 3)
    }

    @Test("a request whose connection ends fails, and the connection is opened again")
    func lostConnection() throws {
        var run = try HTTPRun(.open(perSecond: 10, duration: .seconds(2), connections: 1))
        let result = try run.finish { number, _ in
            number == 5
                ? .lostConnection(after: .milliseconds(1)) : .answer(.success, after: .milliseconds(1))
        }
        #expect(result.outcomes == ["applied": 19, "connectionLost": 1])
        #expect(run.opened == 2)
    }

    @Test("a connection that ends without any answer is opened again after a pause")
    func pause() throws {
        var run = try HTTPRun(.open(perSecond: 1_000, duration: .seconds(1), connections: 1))
        let result = try run.finish { _, _ in .lostConnection(after: .zero) }
        #expect(result.applied == 0)
        // Requests wait for the connection for seven seconds, the last of them for six.
        #expect(Double(run.opened) <= .seconds(7) / ConnectionPool.reopenPause + 1)
    }

    @Test("an abandoned load closes the connections that owe answers")
    func abandoned() throws {
        var run = try HTTPRun(.open(perSecond: 10, connections: 4))
        let result = try run.finish(
            watching: { http, elapsed in
                if elapsed >= .milliseconds(250) { http.abandon(at: HTTPRun.start.advanced(by: elapsed)) }
            }, { _, _ in .none })
        #expect(result.outcomes == ["abandoned": 3])
        #expect(!result.isComplete && run.closed.count == 3)
    }

    @Test(
        "a response is counted by its status and by the status of its result",
        arguments: [
            (200, #"{"status":"success","result":{"status":"Success","id":"x"}}"#, LoadAnswer.applied(nil)),
            (200, #"{"status": "success", "result": {"status": "Failed"}}"#, .failed("failed")),
            (200, #"{"result":{"status":"Unknown"},"status":"success"}"#, .failed("unknown")),
            (200, #"{"status":"success"}"#, .failed("unexpectedReply")),
            (200, #"{"status":"Suc cess"}"#, .failed("unexpectedReply")),
            (200, #"{"status":"#, .failed("unexpectedReply")), (200, "", .failed("unexpectedReply")),
            (429, #"{"status":"Success"}"#, .failed("http429")),
        ])
    func answers(status: Int, body: String, expected: LoadAnswer) {
        let response = HTTPLoad.Response(status: status, body: Array(body.utf8))
        #expect(LoadAnswer(response, to: .toggle) == expected)
        #expect(LoadAnswer(response, to: .set(isOn: true)) == expected)
    }

    @Test(
        "a read pod is counted as read if the response says success",
        arguments: [
            (200, #"{"status":"success","result":{"id":"x"}}"#, LoadAnswer.read),
            (200, #"{"result":{"status":"Unknown"},"status": "success"}"#, .read),
            (200, #"{"status":"error"}"#, .failed("unexpectedReply")), (200, "", .failed("unexpectedReply")),
            (404, #"{"status":"success"}"#, .failed("http404")),
        ])
    func reads(status: Int, body: String, expected: LoadAnswer) {
        let response = HTTPLoad.Response(status: status, body: Array(body.utf8))
        #expect(LoadAnswer(response, to: .read) == expected)
    }

    @Test("outcomes beyond 64 different ones are counted together")
    func manyOutcomes() throws {
        var run = try HTTPRun(.open(perSecond: 100))
        let result = try run.finish { number, _ in
            let letters = String(repeating: "x", count: number % 100 + 1)
            return .answer(
                HTTPLoad.Response(status: 200, body: Array(#"{"status":"F\#(letters)"}"#.utf8)),
                after: .zero)
        }
        // A word has at most 32 letters.
        #expect(result.outcomes.count == 32)
        #expect(result.outcomes.values.reduce(0, +) == 1_000)
        run = try HTTPRun(.open(perSecond: 100))
        let statuses = try run.finish { number, _ in
            .answer(HTTPLoad.Response(status: 300 + number % 100, body: []), after: .zero)
        }
        #expect(statuses.outcomes.count == 64)
        #expect(statuses.outcomes["other"] == 370 && statuses.outcomes["http301"] == 10)
        #expect(statuses.failed == 1_000)
    }

    @Test("orders and reports are read from the lines they were written as")
    func lines() throws {
        let plan = try LoadPlan.open(perSecond: 250, warmup: .seconds(1))
        let orders: [HTTPLoadOrder] = [
            .open(
                HTTPLoadOpening(
                    url: try #require(GatewayURL("https://a:1")), certificates: "/ca.pem", token: "t",
                    connections: 3,
                    states: [.init(device: "VMe9BNPT", isOn: true)])),
            .run(LoadResult.Plan(plan), objectives: ["p99<5ms"]), .stop, .abandon,
        ]
        for order in orders {
            let line = HTTPLoadLine.of(order)
            #expect(line.last == UInt8(ascii: "\n") && line.count { $0 == UInt8(ascii: "\n") } == 1)
            #expect(try HTTPLoadLine.decode(HTTPLoadOrder.self, from: line) == order)
        }
        #expect(try LoadResult.Plan(plan).plan() == plan)
        var run = HTTPRun(plan)
        let result = try run.finish { _, _ in .answer(.success, after: .milliseconds(1)) }
        let report = HTTPLoadReport.measured(
            LoadMeasurement(result: result, objectiveResults: [], percentileFile: "1\n2\n"))
        guard
            case .measured(let read) = try HTTPLoadLine.decode(
                HTTPLoadReport.self, from: HTTPLoadLine.of(report))
        else { throw PlanError("another report") }
        #expect(read.result == result && read.percentileFile == "1\n2\n")
        #expect(throws: PlanError.self) {
            try HTTPLoadLine.decode(HTTPLoadOrder.self, from: Array("{}".utf8))
        }
    }
}
