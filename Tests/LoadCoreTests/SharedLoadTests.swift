import FleetProtocol
import FoundationEssentials
import Testing

@testable import LoadCore

@Suite("Loads of several testers")
struct SharedLoadTests {
    /// The delay of a reply, which depends on the request alone.
    private func delay(of message: LoadMessage) -> Duration {
        .microseconds(200 + Int64(message.number % 97) * 113 + (message.number % 50 == 0 ? 40_000 : 0))
    }

    /// Runs the parts of a load one after another in virtual time.
    private func run(
        _ load: SharedLoad, testers: Int, devices: Int = 90
    ) throws -> [(run: VirtualRun, result: TesterResult)] {
        try (0..<testers).map { number in
            let plan = try load.part(of: number, among: testers)
            var run = VirtualRun(plan, devices: devices, isShared: true)
            try run.finish { message, _ in
                let isRefused = message.number % 41 == 0
                return .init(
                    delay: delay(of: message), body: isRefused ? .refusal(.notFound) : message.report())
            }
            let result = TesterResult(
                recording: run.load.recording, environment: .sample(), startErrorUs: 120)
            return (run, try TesterResult(json: result.json))
        }
    }

    @Test("The added figures are those of all requests together", arguments: [1, 2, 5])
    func sum(testers: Int) throws {
        let plan = try LoadPlan.open(perSecond: 500, .poisson, warmup: .seconds(1), retryRatio: 0.1)
        let load = try SharedLoad(plan, selectors: [], among: testers, isLast: true)
        let parts = try run(load, testers: testers)
        let measured = try LoadMeasurement(
            of: plan, devices: 90, from: parts.enumerated().map { ("host-\($0)", $1.result) },
            against: [try Objective("p50<1s"), try Objective("p50<1us")])
        let (sum, own) = (measured.result, parts.map(\.run.result))
        #expect(sum.offered == own.reduce(0) { $0 + $1.offered })
        #expect(sum.applied == own.reduce(0) { $0 + $1.applied } && sum.failed > 0)
        #expect(sum.outcomes["notFound"] == own.reduce(0) { $0 + ($1.outcomes["notFound"] ?? 0) })
        #expect(sum.retries?.alike == own.reduce(0) { $0 + ($1.retries?.alike ?? 0) })
        #expect(sum.isComplete && sum.durationSeconds == 10 && abs(sum.offeredPerSecond - 500) < 50)
        #expect(measured.objectiveResults.map(\.isMet) == [true, false])

        let latencies = parts.flatMap { part in
            part.run.sent.filter { sent in
                sent.message.part == .command && sent.message.number % 41 != 0
                    && sent.at >= part.run.load.measuredFrom
            }.map { delay(of: $0.message) / .microseconds(1) }
        }.sorted()
        #expect(sum.latencyUs.count == UInt64(latencies.count))
        for (value, share) in [(sum.latencyUs.p50, 0.5), (sum.latencyUs.p99, 0.99)] {
            let rank = Int((share * Double(latencies.count)).rounded(.up)) - 1
            #expect(abs(try #require(value) / latencies[rank] - 1) < 0.002)
        }
        let bySecond = sum.perSecond
        #expect(bySecond.reduce(0) { $0 + $1.offered } == sum.offered)
        #expect(bySecond.reduce(0) { $0 + $1.applied } == sum.applied)
        #expect(bySecond.compactMap(\.maxUs).max() == sum.latencyUs.max)
    }

    @Test("The report names each tester with its own figures, and a lost one")
    func testers() throws {
        let plan = try LoadPlan.open(perSecond: 200, duration: .seconds(2))
        let load = try SharedLoad(plan, selectors: [], among: 2, isLast: true)
        let parts = try run(load, testers: 2)
        let measured = try LoadMeasurement(
            of: plan, devices: 90, from: [("rack-1", parts[0].result), ("rack-2", nil)], against: [])
        let testers = try #require(measured.result.testers)
        #expect(testers.map(\.name) == ["rack-1", "rack-2"] && testers.map(\.isLost) == [false, true])
        #expect(testers[0].offered == parts[0].run.result.offered && testers[0].startErrorUs == 120)
        #expect(testers[0].environment == .sample() && !measured.result.isComplete)
        let report = LoadReport(
            steps: [.init(result: measured.result, objectiveResults: [])], environment: .sample())
        #expect(try LoadReport(json: report.json) == report)
        #expect(HTMLReport(report).text.contains("rack-2"))
    }

    @Test("Testers share rate, requests in flight and devices, each with another seed")
    func parts() throws {
        let open = try SharedLoad(
            try LoadPlan.open(perSecond: 900, .uniform), selectors: [], among: 3, isLast: true)
        let parts = try (0..<3).map { try open.part(of: $0, among: 3) }
        #expect(parts.allSatisfy { $0.demand == .rate(perSecond: 300, .uniform) })
        #expect(Set(parts.map(\.seed)).count == 3 && parts[0].seed == 1)
        #expect(open.offset(of: 2, among: 3) == .seconds(2) / 900)
        let closed = try SharedLoad(
            try LoadPlan(.inFlight(8), duration: .seconds(1)), selectors: [], among: 3, isLast: true)
        #expect(
            try (0..<3).map { try closed.part(of: $0, among: 3).demand }
                == [.inFlight(3), .inFlight(3), .inFlight(2)])
        let devices = (0..<10).map { DeviceID(fleetSeed: 1, index: $0) }
        let shares = (0..<3).map { SharedLoad.devices(devices, of: $0, among: 3) }
        #expect(Set(shares.joined()) == Set(devices) && shares.map(\.count) == [4, 3, 3])
        #expect(SharedLoad.devices(Array(devices.prefix(2)), of: 2, among: 3).count == 2)
    }

    @Test("A load that cannot be shared is refused, and a load survives its JSON")
    func plans() throws {
        let plan = try LoadPlan(.inFlight(2), duration: .seconds(1), cancelRatio: 0.25)
        #expect(throws: PlanError.self) { try SharedLoad(plan, selectors: [], among: 3, isLast: true) }
        let slow = try LoadPlan.open(perSecond: 0.1)
        #expect(throws: PlanError.self) { try SharedLoad(slow, selectors: [], among: 2, isLast: true) }
        let day = try LoadPlan.open(perSecond: 1, duration: .seconds(7_200))
        #expect(throws: PlanError.self) { try SharedLoad(day, selectors: [], among: 1, isLast: true) }
        let load = try SharedLoad(plan, selectors: ["Bedroom*"], among: 2, isLast: false)
        #expect(try SharedLoad(json: load.json) == load)
        #expect(throws: PlanError.self) { try SharedLoad(json: Array("{}".utf8)) }
        let text = String(decoding: load.json, as: UTF8.self)
        for seconds in ["1e300", "-1", "7200"] {
            let changed = text.replacing("\"durationSeconds\":1", with: "\"durationSeconds\":\(seconds)")
            #expect(changed != text)
            #expect(throws: PlanError.self) { try SharedLoad(json: Array(changed.utf8)) }
        }
    }

    @Test("Results with impossible numbers are refused")
    func hostile() throws {
        let plan = try LoadPlan.open(perSecond: 100, duration: .seconds(1))
        let load = try SharedLoad(plan, selectors: [], among: 1, isLast: true)
        let text = String(decoding: try run(load, testers: 1)[0].result.json, as: UTF8.self)
        for (key, value) in [
            ("\"offered\":", "-1"), ("\"offered\":", "9000000000000000000"), ("\"distances\":[", "-1,"),
            ("\"distances\":[", "99999999,"), ("\"counts\":[", "18446744073709551615,"),
            ("\"sumNs\":", "-5"), ("\"sumNs\":", "1e300"), ("\"longestNs\":", "18446744073709551615"),
            ("\"durationSeconds\":", "1e300"), ("\"startErrorUs\":", "1e300"), ("\"devices\":", "-1"),
            ("\"outcomes\":{", "\"\\u001b[2J\":1,"),
        ] {
            let changed = text.replacing(
                key, with: "\(key)\(value)\("[{".contains(key.suffix(1)) ? "" : ",\"x\":")")
            #expect(throws: PlanError.self, "\(key)\(value)") {
                _ = try TesterResult(json: Array(changed.utf8))
            }
        }
        #expect(throws: PlanError.self) { try TesterResult(json: Array(text.utf8.dropLast())) }
    }

    @Test("A histogram with more slots than there are is refused: sums of its counts could overflow")
    func slots() throws {
        func add(slots: Int) throws {
            let (zeros, ones) = ([Int](repeating: 0, count: slots), [Int](repeating: 1, count: slots))
            let text =
                "{\"distances\":\(zeros),\"counts\":\(ones),\"sumNs\":0,\"shortestNs\":0,\"longestNs\":1}"
            var record = LatencyRecord()
            try record.add(try JSONDecoder().decode(RecordedLatencies.self, from: Data(text.utf8)))
            #expect(record.count == slots)
        }
        try add(slots: 50_000)
        #expect(throws: PlanError.self) { try add(slots: 70_000) }
    }
}
