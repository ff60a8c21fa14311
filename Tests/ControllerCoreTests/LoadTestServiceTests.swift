import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Load tests with several testers")
struct LoadTestServiceTests {
    /// An account's coordinator and testers.
    private struct Scene {
        let bench: Bench
        let opening: LoadTestOpening
        let agents: [RequestID]

        init() {
            bench = Bench.withDevices(1)
            opening = LoadTestOpening(id: bench.newID(), testers: 2, plan: [1, 2, 3])
            agents = [bench.newID(), bench.newID(), bench.newID()]
        }

        var id: RequestID { opening.id }

        @discardableResult
        func ask(_ request: LoadTestRequest, token: TokenDigest? = Bench.token) throws -> LoadTestReply {
            try bench.answer(to: request, token: token)
        }

        func name(_ index: Int) -> NodeName { valid(NodeName("host-\(index)")) }

        func join(_ index: Int) throws -> TesterOrder? {
            let entry = TesterEntry(agent: agents[index], name: name(index))
            guard case .order(let order) = try ask(.join(entry)) else { return nil }
            return order
        }

        @discardableResult
        func report(
            _ index: Int, _ phase: TesterPhase = .ready, tester: UInt32? = nil
        ) throws -> LoadTestReply {
            let report = TesterReport(
                id: id, agent: agents[index], tester: tester ?? UInt32(index), name: name(index),
                phase: phase, progress: TesterProgress())
            return try ask(.report(report))
        }

        func send(_ content: [UInt8], at offset: UInt64, isLast: Bool = false) throws -> UInt64? {
            let part = TesterPart(id: id, tester: 0, offset: offset, content: content, isLast: isLast)
            guard case .taken(let next) = try ask(.part(part)) else { return nil }
            return next
        }

        func pull(_ offset: UInt64) throws -> TesterPart? {
            guard case .part(let part) = try ask(.pull(id, tester: 0, offset: offset)) else { return nil }
            return part
        }

        func testers() throws -> [TesterStatus] {
            guard case .state(let state) = try ask(.watch(id)) else { return [] }
            return state.testers
        }
    }

    private let scene = Scene()

    @Test("Testers get a place each, keep it, and no more join than the coordinator wants")
    func joining() throws {
        #expect(try scene.join(0) == nil)
        try scene.ask(.open(scene.opening))
        for index in [0, 1, 0] {
            #expect(
                try scene.join(index)
                    == TesterOrder(id: scene.id, tester: UInt32(index), testers: 2, plan: [1, 2, 3]))
        }
        #expect(try scene.join(2) == nil)
        #expect(try scene.testers().map(\.name.text) == ["host-0", "host-1"])
    }

    @Test("All testers get the same start time, also if the start is sent twice")
    func start() throws {
        try scene.ask(.open(scene.opening))
        for index in 0..<2 { _ = try scene.join(index) }
        #expect(try scene.report(0) == .signal(.wait))
        try scene.ask(.start(scene.id, delay: .seconds(1)))
        #expect(try scene.report(0) == .signal(.start(inUs: 1_000_000)))
        scene.bench.pass(.milliseconds(400))
        try scene.ask(.start(scene.id, delay: .seconds(1)))
        #expect(try scene.report(1) == .signal(.start(inUs: 600_000)))
        scene.bench.pass(.seconds(1))
        #expect(try scene.report(1, .running) == .signal(.start(inUs: -400_000)))
        try scene.ask(.stop(scene.id, isAbandoning: false))
        #expect(try scene.report(1, .running) == .signal(.stop))
        try scene.ask(.stop(scene.id, isAbandoning: true))
        #expect(try scene.report(1, .running) == .signal(.abandon))
    }

    @Test("A result arrives whole although each message is repeated and the controller restarts")
    func result() throws {
        try scene.ask(.open(scene.opening))
        _ = try scene.join(0)
        try scene.report(0, .done)
        // The coordinator has not asked yet.
        #expect(try scene.send([1, 2], at: 0) == 0)
        #expect(try scene.pull(0)?.content == [])
        #expect(try scene.send([1, 2], at: 0) == 2)
        #expect(try scene.send([1, 2], at: 0) == 2)
        #expect(try scene.send([3], at: 2) == 2)
        #expect(try scene.pull(0)?.content == [1, 2])
        #expect(try scene.pull(0)?.content == [1, 2])
        #expect(try scene.pull(2)?.content == [])
        #expect(try scene.send([3], at: 2, isLast: true) == 3)

        try scene.bench.restartWithNode()
        _ = #expect(throws: Bench.Refused.self) { try scene.report(0, .done) }
        let again = LoadTestOpening(id: scene.id, testers: 2, plan: [1, 2, 3], startsIn: .seconds(-3))
        try scene.ask(.open(again))
        #expect(try scene.report(0, .done) == .signal(.start(inUs: -3_000_000)))
        #expect(try scene.pull(2)?.content == [])
        // The tester has sent everything, and gets the offset of the part that is missing.
        #expect(try scene.send([], at: 3, isLast: true) == 2)
        #expect(try scene.send([3], at: 2, isLast: true) == 3)
        let last = try #require(try scene.pull(2))
        #expect(last.content == [3] && last.isLast)
    }

    @Test("The place of a silent tester is free until the start; later its coordinator sees the silence")
    func lostTester() throws {
        try scene.ask(.open(scene.opening))
        for index in 0..<2 { _ = try scene.join(index) }
        for _ in 0..<4 {
            scene.bench.pass(Limits.loadTestLease / 3)
            try scene.report(1)
            _ = try scene.testers()
        }
        #expect(try scene.join(2)?.tester == 0)
        try scene.ask(.start(scene.id, delay: .zero))
        for _ in 0..<4 {
            scene.bench.pass(Limits.loadTestLease / 3)
            try scene.report(1, .running)
            _ = try scene.testers()
        }
        let silences = try scene.testers().map(\.silent)
        #expect(silences.count == 2 && silences[0] > Limits.loadTestLease && silences[1] == .zero)
        #expect(try scene.join(0) == nil)
    }

    @Test("A test whose coordinator is lost is discarded, and requests about an ended test get its end")
    func end() throws {
        try scene.ask(.open(scene.opening))
        _ = try scene.join(0)
        let second = LoadTestOpening(id: scene.bench.newID(), testers: 1, plan: [])
        let busy = try #require(throws: Bench.Refused.self) { try scene.ask(.open(second)) }
        #expect(busy.refusal?.reason?.contains("demo@sensibus.local") == true)
        scene.bench.pass(Limits.loadTestLease + .milliseconds(1))
        _ = #expect(throws: Bench.Refused.self) { try scene.report(0) }
        try scene.ask(.open(second))
        #expect(try scene.ask(.end(second.id)) == .ended)
        #expect(try scene.ask(.watch(second.id)) == .ended)
        #expect(try scene.ask(.open(second)) == .ended)
        #expect(try scene.join(0) == nil)
    }

    @Test("An offset beyond the largest result is refused, and an account without devices opens no test")
    func hostile() throws {
        try scene.ask(.open(scene.opening))
        try scene.report(0, .done)
        _ = #expect(throws: Bench.Refused.self) { try scene.pull(.max) }
        _ = #expect(throws: Bench.Refused.self) { try scene.send([1], at: .max) }
        #expect(try scene.pull(Limits.loadResultBytes)?.content == [])
        #expect(try scene.send([1], at: Limits.loadResultBytes) == Limits.loadResultBytes + 1)
        _ = #expect(throws: Bench.Refused.self) {
            try scene.ask(.open(scene.opening), token: Bench.strangerToken)
        }
    }

    @Test("Viewers and other accounts see nothing of a load test, and cannot take a tester's place")
    func access() throws {
        try scene.ask(.open(scene.opening))
        _ = try scene.join(0)
        _ = #expect(throws: Bench.Refused.self) { try scene.ask(.watch(scene.id), token: Bench.viewerToken) }
        _ = #expect(throws: Bench.Refused.self) {
            try scene.ask(.watch(scene.id), token: Bench.strangerToken)
        }
        let entry = TesterEntry(agent: scene.agents[1], name: scene.name(1))
        #expect(try scene.ask(.join(entry), token: Bench.strangerToken) == .noOrder)
        // The place of the first tester, and one that does not exist.
        for tester: UInt32 in [0, 2] {
            _ = #expect(throws: Bench.Refused.self) { try scene.report(1, .done, tester: tester) }
        }
        #expect(try scene.testers().map(\.phase) == [.preparing])
    }
}
