import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("A start with a journal from an earlier time")
struct EarlierJournalTests {
    private let bench = Bench.withDevices()

    /// A bench with two requests that were carried out; the journal of a later start has only the first.
    private struct Copied {
        let bench: Bench
        let known: RequestID
        let lost: RequestID

        init(configure: (inout ControllerConfiguration) -> Void = { _ in }) throws {
            bench = Bench.withDevices(2, configure: configure)
            known = try Self.toggle(bench)
            let entries = bench.stored.count
            lost = try Self.toggle(bench)
            try bench.restart(losing: bench.stored.count - entries)
        }

        private static func toggle(_ bench: Bench) throws -> RequestID {
            let (id, correlation) = bench.toggle()
            bench.carryOutNewest()
            #expect(bench.outcome(of: correlation) == .applied(bench.reportedState()))
            return id
        }

        /// The node returns with its table.
        func bringNodeBack() {
            bench.join(judged: [lost])
        }

        /// The times up to which the journal refuses unknown requests, with their accounts.
        var horizons: [AccountID?] {
            bench.stored.compactMap { if case .horizonRaised(_, let account) = $0 { account } else { nil } }
        }
    }

    @Test("a request that a device knows and the journal does not is refused when it is repeated")
    func repeated() throws {
        let copied = try Copied()
        copied.bringNodeBack()
        let bench = copied.bench
        #expect(bench.refusal(of: bench.toggle(id: copied.lost).correlation)?.kind == "idTooOld")
        #expect(bench.commands.isEmpty)
        #expect(bench.outcome(of: bench.toggle(id: copied.known).correlation) != nil, "it is in the journal")
        #expect(copied.horizons == [AccountID("demo")], "requests of other accounts are not affected")
        let losses = bench.controller.drainHistoryLosses()
        #expect(losses.map(\.request) == [copied.lost] && losses.map(\.node.text) == ["node-1"])
        bench.now = bench.now.advanced(by: .milliseconds(10))
        bench.expectToggleIsApplied()
    }

    @Test("a repeat that waits for the node ends as undetermined, and is not sent")
    func queued() throws {
        let copied = try Copied()
        let bench = copied.bench
        let again = bench.toggle(id: copied.lost)
        copied.bringNodeBack()
        #expect(bench.outcome(of: again.correlation) == .undetermined(.superseded))
        #expect(bench.commands.isEmpty)
        try bench.restart()
        copied.bringNodeBack()
        #expect(bench.outcome(of: copied.lost) == .undetermined(.superseded))
        #expect(bench.commands.isEmpty)
        #expect(copied.horizons.count == 1, "the journal knows it now")
    }

    @Test("a node whose last request is in the journal changes nothing")
    func complete() throws {
        let bench = Bench.withDevices(1)
        let early = bench.newID()
        let (id, _) = bench.toggle()
        bench.carryOutNewest()
        try bench.restart()
        bench.join(judged: [id])
        bench.toggle(id: early)
        #expect(bench.commands.count == 1, "an older ID that was not used is not too old")
        #expect(bench.controller.drainHistoryLosses().isEmpty)
    }

    @Test("a request in the journal is known, although the clock was set back before the start")
    func clockSetBack() throws {
        let bench = Bench.withDevices(1)
        bench.toggle()
        let first = try #require(bench.commands.last)
        // Its turn comes too late for a command, so that the device gets only an abort.
        let id = bench.toggle(timeout: .seconds(1)).id
        bench.passWithPings(.milliseconds(999))
        bench.now = bench.now.advanced(by: .microseconds(500))
        bench.carryOut(first)
        bench.answer(try #require(bench.aborts.last), .aborted)
        #expect(bench.outcome(of: id) == .expired)
        bench.setClock(.seconds(-3))
        try bench.restart()
        bench.hello(judged: [id])
        #expect(bench.controller.drainHistoryLosses().isEmpty)
    }

    @Test("only the first hello since the start is compared, so that a node cannot raise the horizon at will")
    func firstHello() {
        let bench = Bench.withDevices(1)
        let early = bench.newID()
        bench.hello(judged: [bench.newID()])
        bench.toggle(id: early)
        #expect(bench.commands.count == 1)
    }

    @Test("without a journal of earlier runs, nothing is compared")
    func notRestored() throws {
        let copied = try Copied { $0.restoresRequests = false }
        copied.bringNodeBack()
        #expect(copied.horizons.isEmpty)
    }

    @Test("a request that may be in a segment which is not read yet counts as known")
    func unread() {
        let bench = Bench.withDevices(1)
        let (id, _) = bench.toggle()
        bench.carryOutNewest()
        let ends = bench.restartBeforeReplay(judged: [id])
        #expect(bench.controller.drainHistoryLosses().isEmpty)
        bench.step(.replayed(ends, unreadUpTo: nil))
        #expect(bench.outcome(of: id)?.name == "applied")
    }

    @Test(
        "a repeat that was cancelled before the node returned does not count as known",
        arguments: [true, false])
    func cancelled(isRepeated: Bool) throws {
        let copied = try Copied()
        if isRepeated { copied.bench.toggle(id: copied.lost) }
        copied.bench.cancel(copied.lost)
        copied.bringNodeBack()
        #expect(copied.horizons.count == 1)
    }

    @Test("of several requests, each unknown one reveals the copy")
    func several() throws {
        let copied = try Copied()
        copied.bench.hello(judged: [copied.known, copied.lost])
        #expect(copied.horizons.count == 1)
    }

    @Test("a request a little ahead of the clock is refused, too")
    func ahead() throws {
        let copied = try Copied()
        let bench = copied.bench
        var generator = SeededGenerator(seed: 5)
        let early = RequestID(at: bench.now.wall.advanced(by: .seconds(2)), using: &generator)
        bench.join(judged: [early])
        #expect(bench.refusal(of: bench.toggle(id: early).correlation)?.kind == "idTooOld")
    }

    @Test("after an accepted loss, a request that was ahead of the clock changes nothing")
    func acceptedLoss() throws {
        let bench = Bench.withDevices(1)
        var generator = SeededGenerator(seed: 5)
        let early = RequestID(at: bench.now.wall.advanced(by: .seconds(60)), using: &generator)
        bench.toggle(id: early)
        bench.carryOutNewest()
        try bench.restartAfterLoss(losing: bench.stored.count, judged: [early])
        #expect(bench.controller.drainHistoryLosses().isEmpty)
    }

    @Test("requests in lanes of a node whose history was compared go on")
    func otherNode() throws {
        let copied = try Copied()
        let bench = copied.bench
        // The first node has everything that the journal has, and the second one more.
        bench.join(judged: [copied.known])
        bench.toggle()
        let waiting = bench.toggle()
        bench.hello(
            "node-2", boot: BootID(bits: 99), on: ConnectionID(high: 9, low: 9), judged: [copied.lost])
        #expect(copied.horizons.count == 1)
        #expect(bench.outcome(of: waiting.correlation) == nil)
        bench.carryOutNewest()
        bench.carryOutNewest()
        #expect(bench.outcome(of: waiting.correlation) == .applied(bench.reportedState()))
    }

    @Test("waiting commands of a queue are forgotten, because they may have run since")
    func queues() throws {
        let (id, _) = bench.start(try bench.plan(3))
        let (entries, batches) = (bench.stored.count, bench.recordBatches.count)
        let first = try #require(bench.commands.last).identity
        for _ in 0..<3 { bench.carryOutLast() }
        #expect(bench.commandQueue(id)?.state == .done)
        let last = try #require(bench.commands.last).identity.requestID
        let sent = bench.commands.map(\.identity)
        while bench.recordBatches.count > batches { bench.recordBatches.removeLast() }
        try bench.restart(losing: bench.stored.count - entries)
        bench.join(judged: [last])
        bench.answer(first, .applied)
        bench.passWithPings(.seconds(3))
        #expect(bench.commands.allSatisfy { sent.contains($0.identity) }, "no command runs under a new ID")
        #expect(bench.progress(id) == ["applied", "forgotten", "forgotten"])
    }

    @Test("a repeated start of a queue that the copy does not have is too old, also after a restart")
    func repeatedStart() throws {
        let (entries, batches) = (bench.stored.count, bench.recordBatches.count)
        let plan = try bench.plan(1)
        let (id, _) = bench.start(plan)
        bench.carryOutLast()
        let last = try #require(bench.commands.last).identity.requestID
        while bench.recordBatches.count > batches { bench.recordBatches.removeLast() }
        try bench.restart(losing: bench.stored.count - entries)
        bench.join(judged: [last])
        for _ in 0..<2 {
            let (_, correlation) = bench.start(plan, id: id)
            #expect(bench.refusal(of: correlation)?.kind == "idTooOld")
            try bench.restartWithNode()
        }
    }

    @Test("a request that may be in an unread segment is compared once all are read")
    func unreadAndLost() {
        let bench = Bench.withDevices(1)
        var generator = SeededGenerator(seed: 5)
        let lost = RequestID(at: bench.now.wall.advanced(by: .milliseconds(-5)), using: &generator)
        bench.toggle()
        bench.carryOutNewest()
        let ends = bench.restartBeforeReplay(judged: [lost])
        #expect(bench.controller.drainHistoryLosses().isEmpty)
        bench.step(.replayed(ends, unreadUpTo: nil))
        #expect(bench.controller.drainHistoryLosses().map(\.request) == [lost])
    }
}
