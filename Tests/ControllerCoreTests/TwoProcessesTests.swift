import FleetProtocol
import Testing

@testable import ControllerCore

/// A process of the bench's node that is alive: it answers whatever the controller sends.
private final class LiveProcess {
    let run: NodeRun
    let connection: ConnectionID
    var rows: [DeviceRow]
    /// Whether it is frozen or cut off: it sends and receives nothing.
    var isSilent = false
    /// The number of the bench's effects that it has received.
    private var received = 0

    init(_ number: UInt64, of bench: Bench) {
        run = NodeRun(host: "host-\(number)", bootID: BootID(bits: number))
        connection = ConnectionID(high: 20, low: number)
        rows = bench.rows
    }

    func send(_ body: NodeMessage.Body, to bench: Bench) {
        guard !isSilent else { return }
        bench.rows = rows
        bench.send(body, boot: run.bootID, on: connection)
    }

    func sayHello(to bench: Bench) {
        guard let name = NodeName("node-1"), let account = AccountID("demo") else { return }
        let hello = NodeHello(node: name, account: account, devices: UInt32(rows.count), host: run.host)
        send(.hello(hello), to: bench)
    }

    /// Answers the messages that have arrived; returns false if there were none.
    func answer(_ bench: Bench) -> Bool {
        guard !isSilent else { return false }
        let messages = bench.sent(to: connection)
        let new = messages.dropFirst(received)
        received = messages.count
        for message in new {
            switch message {
            case .pong(helloWanted: true): sayHello(to: bench)
            case .pull(let since, let cursor, let number):
                let newer = cursor == 0 ? rows.filter { $0.number > since } : []
                let chunk = RowChunk(
                    since: since, cursor: cursor, nextCursor: UInt32(rows.count), isLast: true, pull: number,
                    rows: newer.map { RowChunk.Row(device: $0, name: "Room") })
                send(.rows(chunk), to: bench)
            case .command(let command):
                bench.rows = rows
                bench.carryOut(command, boot: run.bootID, on: connection)
                rows = bench.rows
            case .renew(let seen): renew(seen, at: bench)
            default: break
            }
        }
        return !new.isEmpty
    }

    /// Discards the messages that have arrived.
    func discardMessages(of bench: Bench) { received = bench.sent(to: connection).count }

    /// Begins new incarnations of devices, as ``Node`` does.
    private func renew(_ seen: [SeenDevice], at bench: Bench) {
        for known in seen {
            bench.rows = rows
            guard let place = rows.firstIndex(where: { $0.device == known.device }),
                rows[place].reported.incarnation == known.incarnation,
                rows[place].reported.version < known.version
            else { continue }
            bench.change(place, incarnation: known.incarnation.bits + run.bootID.bits)
            rows = bench.rows
            bench.step(.telemetry(Telemetry(bootID: run.bootID, rows: [rows[place]])))
        }
    }

    func commands(in bench: Bench) -> Int {
        bench.sent(to: connection).count { if case .command = $0 { true } else { false } }
    }
}

@Suite("Two processes of one node")
struct TwoProcessesTests {
    private let bench: Bench
    private let first: LiveProcess
    private let second: LiveProcess

    init() {
        bench = Bench()
        bench.bringUp(2)
        bench.send(.leaving)
        (first, second) = (LiveProcess(1, of: bench), LiveProcess(2, of: bench))
        bench.effects = []
        first.sayHello(to: bench)
        settle([first])
        _ = bench.controller.drainConflicts()
    }

    /// Lets the processes answer until nothing is left to say.
    private func settle(_ processes: [LiveProcess]) {
        var rounds = 0
        while processes.reduce(false, { $1.answer(bench) || $0 }), rounds < 100 { rounds += 1 }
        #expect(rounds < 100)
    }

    /// Passes time, in which the processes ping twice a second and answer every 50 ms.
    private func pass(_ duration: Duration, _ processes: LiveProcess...) {
        for step in 1...max(1, Int(duration / .milliseconds(50))) {
            bench.pass(.milliseconds(50))
            if step % 10 == 0 { for one in processes { one.send(.ping(), to: bench) } }
            settle(processes)
        }
    }

    /// Toggles a device; returns the outcome, if it has one now.
    private func toggle(_ processes: LiveProcess...) -> Outcome? {
        let toggle = bench.toggle()
        settle(processes)
        return bench.outcome(of: toggle.correlation)
    }

    private var conflicts: [NodeConflict] {
        guard case .status(let report)? = bench.reply(to: .status) else { return [] }
        return report.conflicts
    }

    private func conflict(_ serving: LiveProcess, _ refused: LiveProcess) throws -> NodeConflict {
        NodeConflict(node: try #require(NodeName("node-1")), serving: serving.run, refused: refused.run)
    }

    @Test("a later process does not get the devices of one that is alive, and both are named")
    func later() throws {
        second.sayHello(to: bench)
        for _ in 0..<10 {
            pass(.milliseconds(500), first, second)
            #expect(toggle(first, second)?.isApplied == true)
        }
        #expect(first.commands(in: bench) == 10)
        #expect(second.commands(in: bench) == 0)
        #expect(bench.sent(to: second.connection).last == .refused(first.run))
        #expect(bench.controller.drainConflicts() == [try conflict(first, second)])
        #expect(conflicts == [try conflict(first, second)])
        pass(Limits.lease, first)
        #expect(conflicts == [])
    }

    @Test("a refused process serves when the other one leaves or is lost", arguments: [true, false])
    func released(leaves: Bool) {
        second.sayHello(to: bench)
        pass(.seconds(1), first, second)
        if leaves { first.send(.leaving, to: bench) }
        first.isSilent = true
        pass(leaves ? .milliseconds(500) : Limits.lease + .milliseconds(600), second)
        #expect(toggle(second)?.isApplied == true)
        #expect(second.commands(in: bench) == 1)
        #expect(conflicts == [])
    }

    @Test("a process that returns after it was replaced serves again, and repeats nothing")
    func returned() throws {
        first.isSilent = true
        second.sayHello(to: bench)
        pass(.milliseconds(500), second)
        #expect(toggle(second)?.isApplied == true)
        let flying = bench.toggle()
        second.discardMessages(of: bench)
        first.isSilent = false
        first.send(.ping(), to: bench)
        settle([first, second])
        #expect(bench.outcome(of: flying.correlation) == .undetermined(.deviceReset))
        #expect(first.commands(in: bench) == 0)
        #expect(first.rows[0].reported.incarnation != second.rows[0].reported.incarnation)
        #expect(bench.controller.drainConflicts() == [try conflict(first, second)])
        for _ in 0..<4 {
            pass(.milliseconds(500), first, second)
            #expect(toggle(first, second)?.isApplied == true)
        }
        #expect(first.commands(in: bench) == 4)
    }

    @Test("late messages of a dead process do not count as answers")
    func dead() {
        first.isSilent = true
        second.sayHello(to: bench)
        pass(.milliseconds(500), second)
        for _ in 0..<20 {
            first.isSilent = false
            first.sayHello(to: bench)
            first.send(.ping(), to: bench)
            first.isSilent = true
            pass(.milliseconds(100), second)
            second.send(.ping(), to: bench)
        }
        #expect(toggle(second)?.isApplied == true)
        #expect(bench.controller.drainConflicts() == [])
    }

    @Test("a process whose lease ended, and that is back before a later one has repeated its hello, is asked")
    func backInTime() {
        bench.pass(Limits.lease + .milliseconds(100))
        second.sayHello(to: bench)
        second.discardMessages(of: bench)
        first.send(.ping(), to: bench)
        bench.pass(Limits.bootTimeout)
        second.sayHello(to: bench)
        settle([second])
        #expect(toggle(second) == nil)
        settle([first, second])
        pass(.seconds(1), first, second)
        #expect(toggle(first, second)?.isApplied == true)
        #expect(second.commands(in: bench) == 0)
        #expect(bench.sent(to: second.connection).last == .refused(first.run))
    }

    @Test("an answer that waits behind a later process's hello, after a long turn, comes in time")
    func longTurn() {
        second.sayHello(to: bench)
        bench.now = bench.now.advanced(by: Limits.bootTimeout * 2)
        second.sayHello(to: bench)
        settle([first, second])
        #expect(toggle(first, second)?.isApplied == true)
        #expect(second.commands(in: bench) == 0)
        #expect(bench.sent(to: second.connection).last == .refused(first.run))
    }

    @Test("of three processes the first one serves, and another one after it is dead")
    func three() throws {
        let third = LiveProcess(3, of: bench)
        second.sayHello(to: bench)
        third.sayHello(to: bench)
        pass(.seconds(2), first, second, third)
        #expect(toggle(first, second, third)?.isApplied == true)
        #expect(first.commands(in: bench) == 1)
        #expect(Set(conflicts) == [try conflict(first, second), try conflict(first, third)])
        first.isSilent = true
        pass(.seconds(4), second, third)
        for _ in 0..<4 {
            pass(.milliseconds(500), second, third)
            #expect(toggle(second, third)?.isApplied == true)
        }
        #expect([0, 4].contains(second.commands(in: bench)))
        #expect(second.commands(in: bench) + third.commands(in: bench) == 4)
    }
}

extension Outcome {
    fileprivate var isApplied: Bool { if case .applied = self { true } else { false } }
}
