import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Counters")
struct CounterTests {
    private let bench = Bench.withDevices()

    private func counters(commands: UInt64) -> NodeCounters {
        var counters = NodeCounters()
        counters.commands = commands
        return counters
    }

    private func report(
        from cursor: UInt32 = 0, as token: TokenDigest? = Bench.token
    ) throws -> CounterReport {
        guard case .counters(let report)? = bench.reply(to: .counters(cursor: cursor), token: token) else {
            throw Bench.Refused(refusal: nil)
        }
        return report
    }

    @Test("a node's counters are its last reported ones, and only its account sees them")
    func newest() throws {
        #expect(try report().nodes == [], "no counters were reported")
        bench.send(.ping(counters(commands: 3)))
        bench.send(.ping(counters(commands: 5)))
        bench.send(.ping())
        let reported = try report()
        #expect(reported.nodes.map(\.name.text) == ["node-1"])
        #expect(reported.nodes.map(\.counters.commands) == [5])
        #expect(reported.isLast)
        #expect(try report(as: Bench.viewerToken).nodes.count == 1, "a viewer has read access")
        #expect(try report(as: Bench.strangerToken).nodes == [])
        #expect(bench.refusal(to: .counters(cursor: 0), token: nil) == .unauthenticated)
    }

    @Test("a lost node's counters are omitted, and its next run has only its own")
    func restarts() throws {
        bench.send(.ping(counters(commands: 9)))
        bench.pass(.seconds(2))
        #expect(try report().nodes == [], "it is unknown whether its process still counts")
        bench.send(.ping())
        #expect(try report().nodes.map(\.counters.commands) == [9], "the same process, still running")
        let next = (boot: BootID(bits: 2), connection: ConnectionID(high: 3, low: 3))
        bench.hello(boot: next.boot, on: next.connection)
        #expect(try report().nodes == [])
        bench.send(.ping(counters(commands: 1)), boot: next.boot, on: next.connection)
        #expect(try report().nodes.map(\.counters.commands) == [1])
    }

    @Test("the counters of many nodes come in several replies, each small enough for a message")
    func many() throws {
        bench.rows = []
        var largest = NodeCounters()
        largest.commands = .max
        largest.memoryBytes = .max
        largest.longestTurnUs = .max
        largest.publishedRows = .max
        largest.publishedMeasurements = .max
        largest.rememberedEntries = .max
        largest.refusedMessages = .max
        largest.timers = .max
        for kind in Verdict.Kind.allCases { largest[kind] = .max }
        largest.commandTime = try #require(
            DurationCounts(
                counts: [UInt64](repeating: .max, count: DurationCounts.boundsUs.count + 1), sumUs: .max))
        let count = Limits.counterNodes * 2 + 50
        for number in 0..<count {
            let at = Bench.connection(UInt64(number + 1))
            let boot = BootID(bits: UInt64(number + 1))
            bench.hello("node-\(number)-" + String(repeating: "n", count: 20), boot: boot, on: at)
            bench.send(.ping(largest), boot: boot, on: at)
        }
        var names: [String] = []
        var cursor: UInt32 = 0
        for size in [Limits.counterNodes, Limits.counterNodes, 50] {
            let reported = try report(from: cursor)
            #expect(reported.nodes.count == size)
            #expect(reported.isLast == (size == 50))
            let bytes = ClientReply(correlation: .max, body: .counters(reported)).wireBytes
            #expect(bytes.count <= Limits.chunkBytes)
            names += reported.nodes.map(\.name.text)
            cursor = reported.nextCursor
        }
        #expect(Set(names).count == count)
        #expect(try report(from: .max).isLast, "a cursor beyond all nodes finds none")
    }

    @Test("the controller's counters count requests, messages and outcomes")
    func controller() throws {
        let before = try report().controller
        let toggle = bench.toggle()
        bench.carryOutNewest()
        bench.publish(0)
        #expect(bench.outcome(of: toggle.correlation) != nil)
        let after = try report().controller
        #expect(after.requests - before.requests == 2, "the toggle and the query")
        #expect(after.commands - before.commands == 1)
        #expect(after.ended - before.ended == 1)
        #expect(after.nodeMessages - before.nodeMessages == 1)
        #expect(after.telemetryMessages - before.telemetryMessages == 1)
    }

    @Test("the counters of refused node messages count each message and each row")
    func refusals() throws {
        let before = try report().controller.nodeRefusals
        bench.send(.ping(), boot: BootID(bits: 9), on: Bench.connection(9))
        bench.publish(bench.rows, boot: BootID(bits: 9))
        bench.send(.rows(RowChunk(since: .zero, cursor: 7, nextCursor: 8, isLast: true, rows: [])))
        #expect(try report().controller.nodeRefusals - before == 3)
        #expect(bench.controller.drainSuspicions().isEmpty, "the network alone explains them")
    }
}
