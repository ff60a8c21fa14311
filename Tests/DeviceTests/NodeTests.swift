import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("A node")
struct NodeTests {
    private static let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))
    private var now = Self.start
    private var node: Node
    private var effects: [Node.Effect] = []

    init() throws {
        node = try Self.make()
    }

    private static func make(
        devices: Int = 10, scenario: Scenario = .quiet, seed: UInt64 = 1, chance: UInt64 = 99
    ) throws -> Node {
        let configuration = NodeConfiguration(
            name: try #require(NodeName("node-1")), account: try #require(AccountID("demo")),
            devices: devices,
            seed: seed, scenario: scenario)
        return Node(
            configuration, bootID: BootID(bits: 1), incarnations: SeededGenerator(seed: chance), at: start)
    }

    private mutating func step(_ input: Node.Input, after delay: Duration = .zero) -> [Node.Effect] {
        now = now.advanced(by: delay)
        effects.removeAll()
        node.step(input, at: now, into: &effects)
        return effects
    }

    private mutating func controller(
        _ body: ControllerMessage.Body, epoch: UInt64 = 1, after delay: Duration = .zero
    ) -> [Node.Effect] {
        step(.controller(ControllerMessage(epoch: Epoch(epoch), body: body)), after: delay)
    }

    private func toggle(
        _ slot: Int, number: UInt64 = 1, timeToLive: Duration = .seconds(5)
    ) -> DeviceCommand {
        let row = node.truth[slot]
        return DeviceCommand(
            identity: CommandIdentity(
                device: row.device, incarnation: row.reported.incarnation,
                commandNumber: CommandNumber(number),
                requestID: RequestID(high: 0, low: number)),
            change: ACStateChange(isOn: !row.reported.state.isOn), base: row.reported.version,
            timeToLive: timeToLive)
    }

    private func results(_ effects: [Node.Effect]) -> [CommandResult] {
        effects.compactMap {
            if case .send(let message) = $0, case .result(let result) = message.body { result } else { nil }
        }
    }

    private func bodies(_ effects: [Node.Effect]) -> [NodeMessage.Body] {
        effects.compactMap { if case .send(let message) = $0 { message.body } else { nil } }
    }

    private func published(_ effects: [Node.Effect]) -> [DeviceRow] {
        effects.compactMap { if case .publish(let row) = $0 { row } else { nil } }
    }

    @Test("a node sends its hello first, on each new connection and for each new epoch, and else pings")
    mutating func hello() throws {
        let hello = NodeMessage.Body.hello(
            NodeHello(
                node: try #require(NodeName("node-1")), account: try #require(AccountID("demo")),
                devices: 10,
                groups: [
                    DeviceGroup(model: .sky, site: "Home", firmware: "SKY30046", remote: .discrete)
                ]))
        #expect(bodies(step(.turn)) == [hello])
        #expect(bodies(step(.connected)) == [hello])
        #expect(bodies(controller(.pong(helloWanted: false))) == [])
        #expect(bodies(step(.turn, after: Limits.beatInterval)) == [.ping()])
        #expect(bodies(controller(.pong(helloWanted: false), epoch: 2)) == [hello])
        #expect(bodies(controller(.pong(helloWanted: true), epoch: 2)) == [hello])
        #expect(bodies(step(.stopping)) == [.leaving])
    }

    @Test("a refused node waits for a lease over a new connection before it sends anything")
    mutating func refused() {
        _ = step(.turn)
        let run = NodeRun(host: "attic", bootID: BootID(bits: 9))
        #expect(controller(.refused(run)) == [.refused(run)])
        #expect(step(.connected) == [])
        #expect(bodies(step(.turn, after: Limits.lease - .milliseconds(1))) == [])
        #expect(bodies(step(.turn, after: .milliseconds(1))).count == 1)
        #expect(bodies(controller(.pong(helloWanted: false))) == [])
        #expect(bodies(step(.connected)).count == 1)
    }

    @Test("a command's effects are ordered: remember, answer, publish")
    mutating func orderOfEffects() throws {
        let command = toggle(3)
        let effects = controller(.command(command))
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
        #expect(row == node.truth[3])
        #expect(row.number == ChangeNumber(11))
        #expect(message.lastNumber == ChangeNumber(11))
    }

    @Test("a repeated command is answered again, without remembering or publishing")
    mutating func repeated() {
        let command = toggle(0)
        let first = results(controller(.command(command)))
        let again = controller(.command(command))
        #expect(again.count == 1)
        #expect(results(again).first?.verdict == first.first?.verdict)
        #expect(results(again).first?.judged == first.first?.judged)
    }

    @Test("an offline device does not answer, and its disconnect and return are published")
    mutating func disconnected() {
        let command = toggle(2)
        let offline = controller(.fault(.offline, devices: [command.identity.device], duration: .seconds(3)))
        #expect(published(offline).map(\.isConnected) == [false])
        #expect(controller(.command(command)).isEmpty)
        #expect(controller(.abort(command.identity)).isEmpty)
        let back = published(step(.turn, after: .seconds(3)))
        #expect(back.map(\.isConnected) == [true])
        #expect(results(controller(.command(command))).map(\.verdict) == [.applied])
    }

    @Test("a hanging device delays its command, and executes it if the hang ends in time")
    mutating func hangs() {
        let command = toggle(4)
        _ = controller(.fault(.hang, devices: [command.identity.device], duration: .seconds(2)))
        #expect(controller(.command(command)).isEmpty)
        #expect(controller(.command(command), after: .seconds(1)).isEmpty)
        let late = step(.turn, after: .seconds(1))
        #expect(results(late).map(\.verdict) == [.applied])
        #expect(results(late).first?.deviceUs == 2_000_000)
    }

    @Test("a hanging device's command expires at the end of its time to live")
    mutating func hangsTooLong() {
        let command = toggle(4, timeToLive: .seconds(1))
        _ = controller(.fault(.hang, devices: [command.identity.device], duration: .seconds(60)))
        _ = controller(.command(command))
        #expect(results(step(.turn, after: .seconds(1))).map(\.verdict) == [.expired])
        #expect(node.truth[4].reported.version == Version(1))
    }

    @Test("a hanging device's command can be aborted, and then never runs")
    mutating func hangsAndAborts() {
        let command = toggle(4)
        _ = controller(.fault(.hang, devices: [command.identity.device], duration: .seconds(2)))
        _ = controller(.command(command))
        #expect(
            results(controller(.abort(command.identity), after: .seconds(1))).map(\.verdict) == [.aborted])
        let late = results(step(.turn, after: .seconds(1)))
        #expect(late.allSatisfy { $0.verdict == .aborted })
        #expect(node.truth[4].reported.version == Version(1))
    }

    @Test("a prolonged fault ends at the later time")
    mutating func prolonged() {
        let device = node.truth[1].device
        _ = controller(.fault(.offline, devices: [device], duration: .seconds(1)))
        _ = controller(.fault(.offline, devices: [device], duration: .seconds(5)))
        #expect(published(step(.turn, after: .seconds(1))).isEmpty)
        #expect(published(step(.turn, after: .seconds(4))).map(\.isConnected) == [true])
    }

    @Test("a flip by hand is remembered without a command number, and published")
    mutating func flip() {
        let before = node.truth[6].reported
        let effects = controller(.fault(.flip, devices: [node.truth[6].device], duration: .zero))
        guard case .remember(let entry) = effects.first else {
            Issue.record("nothing was remembered")
            return
        }
        #expect(entry.used == nil)
        #expect(published(effects).map(\.reported.state.isOn) == [!before.state.isOn])
        #expect(published(effects).map(\.reported.version) == [before.version.next])
    }

    @Test("a higher epoch is remembered even if nothing else changes")
    mutating func epochRemembered() {
        let command = toggle(5)
        _ = controller(.command(command))
        let effects = controller(.abort(command.identity), epoch: 2)
        guard case .remember(let entry) = effects.first else {
            Issue.record("nothing was remembered")
            return
        }
        #expect(entry.cause == .epoch)
        #expect(entry.epoch == Epoch(2))
        #expect(results(effects).map(\.verdict) == [.applied])
        #expect(results(controller(.abort(command.identity), epoch: 2)).count == 1)
        #expect(self.effects.count == 1)
    }

    @Test(
        "a reset device begins a new incarnation, which is remembered and published",
        arguments: [false, true])
    mutating func reset(isOffline: Bool) {
        let command = toggle(5)
        let device = command.identity.device
        _ = controller(.command(command))
        if isOffline { _ = controller(.fault(.offline, devices: [device], duration: .seconds(1))) }
        let before = node.truth[5]
        let effects = controller(.fault(.reset, devices: [device], duration: .zero))
        let row = node.truth[5]
        #expect(row.reported.incarnation != before.reported.incarnation)
        #expect(row.reported.version == Version(1))
        #expect(row.lastCommandNumber == .zero)
        #expect(row.epoch == .zero)
        #expect(row.number == before.number.next)
        guard case .remember(let entry) = effects.first else {
            Issue.record("nothing was remembered")
            return
        }
        #expect(entry.cause == .reset)
        #expect(entry.reported == row.reported)
        #expect(published(effects) == [row])
        guard !isOffline else { return }
        #expect(results(controller(.command(command))).map(\.verdict) == [.staleIncarnation])
    }

    @Test("a pull returns the rows above a number in chunks of bounded size, each row once")
    mutating func pulls() throws {
        node = try Self.make(devices: Limits.chunkRows + 50)
        var rows: [RowChunk.Row] = []
        var cursor: UInt32 = 0
        for _ in 0..<5 {
            let bodies = bodies(controller(.pull(since: .zero, cursor: cursor)))
            guard case .rows(let chunk) = bodies.first else {
                Issue.record("no chunk")
                return
            }
            #expect(chunk.rows.count <= Limits.chunkRows)
            rows += chunk.rows
            cursor = chunk.nextCursor
            if chunk.isLast { break }
        }
        #expect(rows.map(\.device) == node.truth)
        #expect(Set(rows.map(\.name)).count == rows.count)
        let device = node.truth[20].device
        _ = controller(.fault(.flip, devices: [device], duration: .zero))
        let last = ChangeNumber(UInt64(Limits.chunkRows + 50))
        guard case .rows(let chunk) = bodies(controller(.pull(since: last, cursor: 0))).first else {
            Issue.record("no chunk")
            return
        }
        #expect(chunk.rows.map(\.device.device) == [device])
        #expect(chunk.isLast)
    }

    @Test("a cursor beyond the table returns an empty last chunk")
    mutating func cursorBeyond() {
        guard case .rows(let chunk) = bodies(controller(.pull(since: .zero, cursor: .max))).first else {
            Issue.record("no chunk")
            return
        }
        #expect(chunk.rows.isEmpty)
        #expect(chunk.isLast)
    }

    @Test(
        "the same seed gives the same devices and events, regardless of the incarnations",
        arguments: 1...20 as ClosedRange<UInt64>)
    func repeatable(seed: UInt64) throws {
        let runs = try [UInt64(1), 2].map { chance in
            var node = try Self.make(devices: 50, scenario: .lively, seed: seed, chance: chance)
            var now = Self.start
            var rows: [String] = []
            for _ in 0..<200 {
                now = now.advanced(by: .milliseconds(500))
                var effects: [Node.Effect] = []
                node.step(.turn, at: now, into: &effects)
                rows += published(effects).map { "\($0.device) \($0.reported.state) \($0.isConnected)" }
            }
            return rows
        }
        #expect(runs[0] == runs[1])
        #expect(runs[0].count > 10)
    }

    @Test("row numbers are gapless: each one after the first belongs to a published row")
    mutating func numbers() throws {
        node = try Self.make(devices: 100, scenario: .lively)
        var numbers: [UInt64] = []
        for _ in 0..<400 {
            numbers += published(step(.turn, after: .milliseconds(500))).map(\.number.value)
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
        #expect(controller(.abort(identity)).isEmpty)
        #expect(controller(.fault(.flip, devices: [stranger], duration: .zero)).isEmpty)
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
