import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Commands with a superseded number")
struct SupersededTests {
    /// A device has used two command numbers since its node answered the pull of a controller that ended.
    private func benchWithLateChunk() throws -> Bench {
        let bench = Bench()
        bench.bringUp(1)
        let rows = bench.rows.map { RowChunk.Row(device: $0, name: "Room 1") }
        let late = bench.chunk(nextCursor: 1, rows: rows)
        for _ in 0..<2 {
            bench.toggle()
            bench.carryOutNewest()
        }
        try bench.restart()
        bench.hello()
        bench.send(.rows(late))
        return bench
    }

    @Test("a command is not made from rows that answered the pull of an earlier controller")
    func lateChunk() throws {
        let bench = try benchWithLateChunk()
        let toggle = bench.toggle()
        #expect(bench.commands.isEmpty)
        bench.answerPull()
        let command = try #require(bench.commands.first)
        #expect(command.identity.commandNumber == CommandNumber(3))
        bench.carryOut(command)
        #expect(bench.outcome(of: toggle.correlation) == .applied(bench.reportedState()))
    }

    @Test("a superseded command of this controller never ran: it gets the next number, or expires")
    func sentByThisController() throws {
        let bench = Bench.withDevices(1)
        let toggle = bench.toggle()
        use(CommandNumber(5), in: bench)
        bench.answer(try #require(bench.commands.last).identity, .staleCommandNumber)
        #expect(bench.commands.map(\.identity.commandNumber) == [CommandNumber(1), CommandNumber(6)])
        bench.carryOutNewest()
        #expect(bench.outcome(of: toggle.correlation) == .applied(bench.reportedState()))

        let late = bench.toggle(timeout: .milliseconds(500))
        use(CommandNumber(9), in: bench)
        bench.passWithPings(.milliseconds(600))
        #expect(bench.outcome(of: late.correlation) == .unknown)
        bench.answer(try #require(bench.commands.last).identity, .staleCommandNumber)
        #expect(bench.outcome(of: late.id) == .expired)
    }

    @Test("a superseded command of an earlier controller is undetermined: the journal went back")
    func sentByAnEarlierController() throws {
        let bench = Bench.withDevices(1)
        let toggle = bench.toggle()
        let identity = try #require(bench.commands.last).identity
        use(CommandNumber(5), in: bench)
        try bench.restartWithNode()
        bench.answer(identity, .staleCommandNumber)
        #expect(bench.outcome(of: toggle.id) == .undetermined(.superseded))
    }

    /// The device has used a command number that the controller does not know.
    private func use(_ commandNumber: CommandNumber, in bench: Bench) {
        let row = bench.rows[0]
        bench.rows[0] = row.with(lastCommandNumber: commandNumber)
    }
}
