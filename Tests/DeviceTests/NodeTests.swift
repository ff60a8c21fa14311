import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("A node")
struct NodeTests {
    private var bench = NodeBench()

    @Test("a node sends its hello first, on each new connection and for each new epoch, and else pings")
    mutating func hello() {
        let hello = NodeMessage.Body.hello(
            NodeHello(
                node: bench.node.configuration.name, account: bench.node.configuration.account, devices: 10,
                groups: [DeviceGroup(model: .sky, site: "Home", firmware: "SKY30046", remote: .discrete)]))
        #expect(bench.firstEffects.sent == [hello])
        #expect(bench.step(.connected).sent == [hello])
        #expect(bench.send(.pong(helloWanted: false)).sent == [])
        #expect(bench.turn(after: Limits.beatInterval).sent == [.ping()])
        #expect(bench.send(.pong(helloWanted: false), epoch: Epoch(2)).sent == [hello])
        #expect(bench.send(.pong(helloWanted: true), epoch: Epoch(2)).sent == [hello])
        #expect(bench.step(.stopping).sent == [.leaving])
    }

    @Test("a refused node waits for a lease over a new connection before it sends anything")
    mutating func refused() {
        let run = NodeRun(host: "attic", bootID: BootID(bits: 9))
        #expect(bench.send(.refused(run)) == [.refused(run)])
        #expect(bench.step(.connected) == [])
        #expect(bench.turn(after: Limits.lease - .milliseconds(1)).sent == [])
        #expect(bench.turn(after: .milliseconds(1)).sent.count == 1)
        #expect(bench.send(.pong(helloWanted: false)).sent == [])
        #expect(bench.step(.connected).sent.count == 1)
    }

    @Test("a command's effects are ordered: remember, answer, publish")
    mutating func orderOfEffects() throws {
        let command = bench.toggle(3)
        let effects = bench.send(.command(command))
        try #require(effects.count == 3)
        guard case .remember(let entry) = effects[0], case .send(let message) = effects[1],
            case .publish(let row) = effects[2], case .result(let result) = message.body
        else {
            Issue.record("effects in another order: \(effects)")
            return
        }
        #expect(entry.used?.commandNumber == command.identity.commandNumber)
        #expect(result.verdict == .applied)
        #expect(result.judged.version == Version(2))
        #expect(row == bench.node.truth[3])
        #expect(row.number == ChangeNumber(11))
        #expect(message.lastNumber == ChangeNumber(11))
    }

    @Test("a repeated command is answered again, without remembering or publishing")
    mutating func repeated() {
        let command = bench.toggle(0)
        let first = bench.send(.command(command)).results
        let again = bench.send(.command(command))
        #expect(again.count == 1)
        #expect(again.results.first?.verdict == first.first?.verdict)
        #expect(again.results.first?.judged == first.first?.judged)
    }

    @Test("an offline device does not answer, and its disconnect and return are published")
    mutating func disconnected() {
        let command = bench.toggle(2)
        let offline = bench.inject(.offline, [2], for: .seconds(3))
        #expect(offline.published.map(\.isConnected) == [false])
        #expect(bench.send(.command(command)).isEmpty)
        #expect(bench.send(.abort(command.identity)).isEmpty)
        let back = bench.turn(after: .seconds(3)).published
        #expect(back.map(\.isConnected) == [true])
        #expect(bench.send(.command(command)).verdicts == [.applied])
    }

    @Test("a hanging device delays its command, and executes it if the hang ends in time")
    mutating func hangs() {
        let command = bench.toggle(4)
        bench.inject(.hang, [4], for: .seconds(2))
        #expect(bench.send(.command(command)).isEmpty)
        #expect(bench.send(.command(command), after: .seconds(1)).isEmpty)
        let late = bench.turn(after: .seconds(1))
        #expect(late.verdicts == [.applied])
        #expect(late.results.first?.deviceUs == 2_000_000)
    }

    @Test("a hanging device's command expires at the end of its time to live")
    mutating func hangsTooLong() {
        let command = bench.toggle(4, timeToLive: .seconds(1))
        bench.inject(.hang, [4], for: .seconds(60))
        bench.send(.command(command))
        #expect(bench.turn(after: .seconds(1)).verdicts == [.expired])
        #expect(bench.node.truth[4].reported.version == Version(1))
    }

    @Test("a hanging device's command can be aborted, and then never runs")
    mutating func hangsAndAborts() {
        let command = bench.toggle(4)
        bench.inject(.hang, [4], for: .seconds(2))
        bench.send(.command(command))
        #expect(bench.send(.abort(command.identity), after: .seconds(1)).verdicts == [.aborted])
        #expect(bench.turn(after: .seconds(1)).verdicts.allSatisfy { $0 == .aborted })
        #expect(bench.node.truth[4].reported.version == Version(1))
    }

    @Test("a prolonged fault ends at the later time")
    mutating func prolonged() {
        bench.inject(.offline, [1], for: .seconds(1))
        bench.inject(.offline, [1], for: .seconds(5))
        #expect(bench.turn(after: .seconds(1)).published.isEmpty)
        #expect(bench.turn(after: .seconds(4)).published.map(\.isConnected) == [true])
    }

    @Test("a flip by hand is remembered without a command number, and published")
    mutating func flip() throws {
        let before = bench.node.truth[6].reported
        let effects = bench.inject(.flip, [6])
        let entry = try #require(effects.prefix(1).remembered.first)
        #expect(entry.used == nil)
        #expect(effects.published.map(\.reported.state.isOn) == [!before.state.isOn])
        #expect(effects.published.map(\.reported.version) == [before.version.next])
    }

    @Test("a higher epoch is remembered even if nothing else changes")
    mutating func epochRemembered() throws {
        let command = bench.toggle(5)
        bench.send(.command(command))
        let effects = bench.send(.abort(command.identity), epoch: Epoch(2))
        let entry = try #require(effects.prefix(1).remembered.first)
        #expect(entry.cause == .epoch)
        #expect(entry.epoch == Epoch(2))
        #expect(effects.verdicts == [.applied])
        let again = bench.send(.abort(command.identity), epoch: Epoch(2))
        #expect(again.results.count == 1)
        #expect(again.count == 1)
    }

    @Test(
        "a reset device begins a new incarnation, which is remembered and published",
        arguments: [false, true])
    mutating func reset(isOffline: Bool) throws {
        let command = bench.toggle(5)
        bench.send(.command(command))
        if isOffline { bench.inject(.offline, [5], for: .seconds(1)) }
        let before = bench.node.truth[5]
        let effects = bench.inject(.reset, [5])
        let row = bench.node.truth[5]
        #expect(row.reported.incarnation != before.reported.incarnation)
        #expect(row.reported.version == Version(1))
        #expect(row.lastCommandNumber == .zero)
        #expect(row.epoch == .zero)
        #expect(row.number == before.number.next)
        let entry = try #require(effects.prefix(1).remembered.first)
        #expect(entry.cause == .reset)
        #expect(entry.reported == row.reported)
        #expect(effects.published == [row])
        guard !isOffline else { return }
        #expect(bench.send(.command(command)).verdicts == [.staleIncarnation])
    }

    @Test("a pull returns the rows above a number in chunks of bounded size, each row once")
    mutating func pulls() throws {
        bench = NodeBench(devices: Limits.chunkRows + 50)
        var rows: [RowChunk.Row] = []
        var cursor: UInt32 = 0
        for _ in 0..<5 {
            let chunk = try bench.chunk(cursor: cursor)
            #expect(chunk.rows.count <= Limits.chunkRows)
            rows += chunk.rows
            cursor = chunk.nextCursor
            if chunk.isLast { break }
        }
        #expect(rows.map(\.device) == bench.node.truth)
        #expect(Set(rows.map(\.name)).count == rows.count)
        bench.inject(.flip, [20])
        let last = try bench.chunk(since: ChangeNumber(UInt64(Limits.chunkRows + 50)))
        #expect(last.rows.map(\.device.device) == [bench.node.truth[20].device])
        #expect(last.isLast)
    }

    @Test("a cursor beyond the table returns an empty last chunk")
    mutating func cursorBeyond() throws {
        let chunk = try bench.chunk(cursor: .max)
        #expect(chunk.rows.isEmpty)
        #expect(chunk.isLast)
    }

    @Test(
        "the same seed gives the same devices and events, regardless of the incarnations",
        arguments: 1...20 as ClosedRange<UInt64>)
    func repeatable(seed: UInt64) {
        let runs = [UInt64(1), 2].map { incarnations in
            var bench = NodeBench(.lively, devices: 50, seed: seed, incarnations: incarnations)
            return (0..<200).flatMap { _ in
                bench.turn(after: .milliseconds(500)).published.map {
                    "\($0.device) \($0.reported.state) \($0.isConnected)"
                }
            }
        }
        #expect(runs[0] == runs[1])
        #expect(runs[0].count > 10)
    }

    @Test("row numbers are gapless: each one after the first belongs to a published row")
    mutating func numbers() {
        bench = NodeBench(.lively, devices: 100)
        var numbers: [UInt64] = []
        for _ in 0..<400 {
            numbers += bench.turn(after: .milliseconds(500)).published.map(\.number.value)
        }
        #expect(numbers == Array(101...(100 + UInt64(numbers.count))))
        #expect(numbers.count > 100)
    }

    @Test("commands for unknown devices are ignored")
    mutating func strangers() {
        let stranger = DeviceID(fleetSeed: 2, index: 9_999)
        let identity = CommandIdentity(
            device: stranger, incarnation: Incarnation(bits: 1), commandNumber: CommandNumber(1),
            requestID: RequestID(high: 0, low: 1))
        #expect(bench.send(.abort(identity)).isEmpty)
        #expect(bench.send(.fault(.flip, devices: [stranger], duration: .zero)).isEmpty)
    }
}

@Suite("Connectivity")
struct ConnectivityTests {
    @Test(
        "a connection never changes to its current state, and reaches every other",
        arguments: Connectivity.allCases)
    func next(state: Connectivity) {
        var generator = SeededGenerator(seed: 5)
        let seen = Set((0..<100).map { _ in state.next(using: &generator) })
        #expect(seen == Set(Connectivity.allCases).subtracting([state]))
    }
}
