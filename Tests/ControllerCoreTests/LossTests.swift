import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("A start with a journal that may have lost its end")
struct LossTests {
    private let bench = Bench.withDevices()

    /// A bench whose journal and store lose everything after a moment.
    private struct Lossy {
        let bench: Bench
        private let entries: Int
        private let batches: Int

        /// Saves the current contents.
        init(_ bench: Bench) {
            self.bench = bench
            (entries, batches) = (bench.stored.count, bench.recordBatches.count)
        }

        /// Restarts from the saved contents.
        ///
        /// - Parameter isJournalLost: Whether the journal went back, too, and not only the store.
        func restart(after pause: Duration = .milliseconds(200), isJournalLost: Bool = true) throws {
            while bench.recordBatches.count > batches { bench.recordBatches.removeLast() }
            try bench.restartAfterLoss(after: pause, losing: isJournalLost ? bench.stored.count - entries : 0)
            // IDs that are created from now on are younger than the horizon.
            bench.now = bench.now.advanced(by: .milliseconds(10))
        }
    }

    /// A device that has executed two toggles: the journal has the first as dispatched, the second as queued.
    private func benchThatForgot(
        after pause: Duration
    ) throws -> (bench: Bench, first: CommandIdentity, second: RequestID) {
        let bench = Bench.withDevices(1)
        bench.toggle()
        let (second, _) = bench.toggle()
        let lossy = Lossy(bench)
        let first = try #require(bench.commands.last).identity
        for _ in 0..<2 { bench.carryOutNewest() }
        #expect(bench.reportedState().version == Version(3))
        try lossy.restart(after: pause)
        return (bench, first, second)
    }

    @Test(
        "a request that was queued in a journal without its end is undetermined: it may have been sent",
        arguments: [Duration.milliseconds(200), .seconds(6)])
    func waited(pause: Duration) throws {
        let (bench, first, second) = try benchThatForgot(after: pause)
        bench.answer(first, .staleCommandNumber)
        bench.passWithPings(.seconds(6))
        #expect(bench.commands.allSatisfy { $0.identity == first }, "no device toggles a second time")
        #expect(bench.outcome(of: second) == .undetermined(.superseded))
        #expect(bench.outcome(of: bench.toggle(id: second).correlation) == .undetermined(.superseded))
        #expect(bench.tooLateReport(of: bench.cancel(second)) != nil)
    }

    @Test("a request that was queued stays undetermined if the controller restarts at once")
    func waitedAndDied() throws {
        let (bench, first, second) = try benchThatForgot(after: .milliseconds(200))
        try bench.restartWithNode()
        bench.answer(first, .staleCommandNumber)
        bench.passWithPings(.seconds(6))
        #expect(bench.commands.allSatisfy { $0.identity == first })
        #expect(bench.outcome(of: second) == .undetermined(.superseded))
    }

    @Test("the logbook has a post about the undetermined request")
    func writtenDown() throws {
        let (bench, _, second) = try benchThatForgot(after: .milliseconds(200))
        bench.turns()
        let texts = bench.recordChanges.compactMap { record -> String? in
            guard case .post(let post, _)? = try? LogbookRecord(wireBytes: record.value ?? []) else {
                return nil
            }
            return post.body
        }
        #expect(texts.count { $0.contains("\(second)") } == 1)
    }

    @Test("a request that the journal has not lost ends normally")
    func notLost() throws {
        let bench = Bench.withDevices(1)
        let toggle = bench.toggle()
        let command = try #require(bench.commands.last)
        try bench.restartAfterLoss()
        bench.carryOutNewest()
        #expect(bench.commands.map(\.identity) == [command.identity])
        let outcome = bench.outcome(of: toggle.id)
        #expect(outcome == .applied(bench.reportedState()))
    }

    // MARK: Queues

    /// The devices to which a controller has sent new commands since its start.
    private func devicesSwitched(by bench: Bench, before: [CommandIdentity]) -> [DeviceID] {
        bench.commands.map(\.identity).filter { !before.contains($0) }.map(\.device)
    }

    @Test(
        "a queue's command that the store has lost is not sent again",
        arguments: QueuePlan.OnFailure.allCases)
    func storeBehind(onFailure: QueuePlan.OnFailure) throws {
        let (id, _) = bench.start(try bench.plan(3, onFailure))
        let lossy = Lossy(bench)
        bench.carryOutLast()
        bench.carryOutLast()
        let sent = bench.commands.map(\.identity)
        try lossy.restart(isJournalLost: false)
        bench.passWithPings(.seconds(3))
        #expect(devicesSwitched(by: bench, before: sent).isEmpty)
        #expect(bench.progress(id) == ["applied", "forgotten", "forgotten"])
        #expect(bench.commandQueue(id)?.state == .failed)
    }

    @Test(
        "a queue's command that journal and store have lost is not sent again",
        arguments: QueuePlan.OnFailure.allCases, [false, true])
    func bothBehind(onFailure: QueuePlan.OnFailure, diesAtOnce: Bool) throws {
        let (id, _) = bench.start(try bench.plan(3, onFailure))
        let lossy = Lossy(bench)
        let first = try #require(bench.commands.last).identity
        bench.carryOutLast()
        bench.carryOutLast()
        let sent = bench.commands.map(\.identity)
        try lossy.restart()
        if diesAtOnce { try bench.restartWithNode() }
        // The device remembers the first, which is its last.
        bench.answer(first, .applied)
        bench.passWithPings(.seconds(3))
        #expect(devicesSwitched(by: bench, before: sent).isEmpty)
        #expect(bench.progress(id) == ["applied", "forgotten", "forgotten"])
        #expect(bench.commandQueue(id)?.state == .failed)
    }

    @Test("a paused queue is not resumed after a loss, as it may have continued")
    func paused() throws {
        let (id, _) = bench.start(try bench.plan(2))
        bench.steer(id, .pause)
        bench.carryOutLast()
        let lossy = Lossy(bench)
        bench.steer(id, .resume)
        bench.carryOutLast()
        #expect(bench.commandQueue(id)?.state == .done)
        let sent = bench.commands.map(\.identity)
        try lossy.restart()
        bench.steer(id, .resume)
        bench.passWithPings(.seconds(3))
        #expect(devicesSwitched(by: bench, before: sent).isEmpty)
        #expect(bench.progress(id) == ["applied", "forgotten"])
        let stored = try bench.records.compactMap { record -> QueueState? in
            guard case .report(let report) = try QueueRecord(wireBytes: record.value ?? []) else {
                return nil
            }
            return report.state
        }
        #expect(stored == [QueueState.failed], "the store has that, too")
    }

    @Test("commands that a stopped queue left out were not sent")
    func stopped() throws {
        let (id, _) = bench.start(try bench.plan(2))
        bench.steer(id, .stop)
        try bench.restartAfterLoss()
        bench.carryOutLast()
        #expect(bench.progress(id) == ["applied", "leftOut"])
        #expect(bench.commandQueue(id)?.state == .stopped)
    }

    @Test("a repeated start of a queue that may have been lost is too old, and starts nothing")
    func repeatedStart() throws {
        let plan = try bench.plan(2)
        let lossy = Lossy(bench)
        let (id, _) = bench.start(plan)
        bench.carryOutLast()
        try lossy.restart()
        let again = bench.start(plan, id: id)
        #expect(bench.refusal(of: again.correlation)?.kind == "idTooOld")
        #expect(bench.commands.isEmpty)
        bench.now = bench.now.advanced(by: .seconds(1))
        bench.start(plan)
        #expect(bench.commands.count == 1, "a new one starts")
    }
}
