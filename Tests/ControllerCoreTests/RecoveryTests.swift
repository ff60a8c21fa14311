import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Recovery after a restart")
struct RecoveryTests {
    private let bench = Bench.withDevices()

    @Test("after a restart, repeats, cancels and queries of an ended request have the same answers")
    func sameReplies() throws {
        let toggle = bench.toggle()
        bench.carryOutNewest()
        let before = try #require(bench.replies(to: toggle.correlation).first)
        try bench.restart()
        #expect(bench.replies(to: bench.toggle(id: toggle.id).correlation) == [before])
        #expect(bench.replies(to: bench.ask(.outcome(toggle.id))) == [before])
        let report = try #require(bench.tooLateReport(of: bench.cancel(toggle.id)))
        #expect(.outcome(report) == before)
    }

    @Test("after a restart a dispatched command is sent with the same command number and its remaining time")
    func sameCommandNumber() throws {
        let toggle = bench.toggle(timeout: .seconds(5))
        let command = try #require(bench.commands.last)
        try bench.restartWithNode(after: .seconds(2))
        let again = try #require(bench.commands.last)
        #expect(again.identity == command.identity)
        #expect(again.change == command.change)
        #expect(again.base == command.base)
        #expect(again.timeToLive == .seconds(3))
        let repeated = bench.toggle(id: toggle.id)
        bench.carryOut(again)
        #expect(bench.outcome(of: repeated.correlation) == .applied(bench.reportedState()))
    }

    @Test("after a restart a command without an answer is sent again after each second of silence")
    func againAfterSilence() throws {
        bench.toggle(timeout: .seconds(30))
        let identity = try #require(bench.commands.last?.identity)
        try bench.restartWithNode()
        var count = bench.commands.count
        #expect(count == 1)
        for _ in 0..<3 {
            bench.passWithPings(.seconds(2))
            #expect(bench.commands.count > count)
            count = bench.commands.count
        }
        #expect(bench.commands.allSatisfy { $0.identity == identity })
    }

    @Test("a command executed before a restart is not repeated: the device returns its first answer")
    func doneAlready() throws {
        let toggle = bench.toggle()
        let command = try #require(bench.commands.last)
        bench.carryOut(command)
        // The end was not committed, so no client received it.
        try bench.restartWithNode(losing: 1)
        #expect(bench.commands.map(\.identity) == [command.identity])
        #expect(bench.replies(to: bench.ask(.outcome(toggle.id))).count == 1)
        bench.answer(command.identity, .applied)
        #expect(bench.outcome(of: toggle.id) == .applied(bench.reportedState()))
    }

    @Test("a request that was not committed was not sent, and its ID is new after a restart")
    func neverStored() throws {
        let toggle = bench.toggle()
        try bench.restartWithNode(losing: 1)
        #expect(bench.commands.isEmpty)
        #expect(bench.refusal(to: .outcome(toggle.id)) == .notFound)
        bench.toggle(id: toggle.id)
        #expect(bench.commands.count == 1)
    }

    @Test("a dispatched request past its deadline is aborted after a restart and ends by the device's answer")
    func pastDeadline() throws {
        let toggle = bench.toggle(timeout: .seconds(1))
        let command = try #require(bench.commands.last)
        try bench.restartWithNode(after: .seconds(2))
        bench.pass(.milliseconds(10))
        #expect(bench.commands.isEmpty)
        #expect(bench.aborts.contains(command.identity))
        #expect(bench.outcome(of: toggle.id) == .unknown)
        bench.answer(command.identity, .aborted)
        #expect(bench.outcome(of: toggle.id) == .expired)
    }

    @Test("a cancelled command is not sent after a restart")
    func cancelled() throws {
        let toggle = bench.toggle()
        let command = try #require(bench.commands.last)
        bench.cancel(toggle.id)
        try bench.restartWithNode()
        #expect(bench.commands.isEmpty)
        #expect(bench.aborts == [command.identity])
        bench.answer(command.identity, .aborted)
        #expect(bench.outcome(of: toggle.id) == .cancelled)
    }

    @Test("a tombstone prevents a late request from running after a restart")
    func tombstone() throws {
        let id = bench.newID()
        bench.cancel(id)
        try bench.restartWithNode()
        #expect(bench.outcome(of: bench.toggle(id: id).correlation) == .cancelled)
        #expect(bench.commands.isEmpty)
    }

    @Test("lanes continue in their order after a restart, before new requests")
    func order() throws {
        let earlier = (0..<4).map { _ in bench.toggle(timeout: .seconds(20)).id }
        try bench.restart()
        let new = bench.toggle(timeout: .seconds(20)).id
        bench.join()
        var order: [RequestID] = []
        for _ in 0..<5 {
            let command = try #require(bench.commands.last)
            order.append(command.identity.requestID)
            bench.carryOut(command)
        }
        #expect(order == earlier + [new])
    }

    @Test("a dispatched request is undetermined if its device returns with another incarnation")
    func deviceReset() throws {
        let toggle = bench.toggle()
        bench.change(0, incarnation: 0xdef)
        try bench.restartWithNode()
        #expect(bench.commands.isEmpty)
        #expect(bench.outcome(of: toggle.id) == .undetermined(.deviceReset))
        bench.toggle()
        #expect(bench.commands.count == 1)
    }

    @Test("a device that no node has reported yet is awaited, and not in the snapshot")
    func awaited() throws {
        bench.toggle()
        try bench.restart()
        let chunk = try #require(bench.snapshot())
        #expect(chunk.rows.isEmpty)
        #expect(chunk.nodes.isEmpty)
        bench.join()
        let added = bench.updates.compactMap { if case .added(let row) = $0.body { row.device } else { nil } }
        #expect(Set(added) == Set(bench.rows.map(\.device)))
        #expect(added.count == 3)
    }

    @Test("an ID that may be in unread segments is neither known nor new until they are read")
    func beforeReplay() throws {
        let toggle = bench.toggle()
        bench.carryOutNewest()
        let before = try #require(bench.replies(to: toggle.correlation).first)
        let unread = bench.restartBeforeReplay()
        let askedAt = bench.stored.count
        let busy = Refusal.busy(retryAfter: Limits.replayRetry)
        #expect(bench.refusal(of: bench.toggle(id: toggle.id).correlation) == busy)
        #expect(bench.refusal(to: .outcome(toggle.id)) == busy)
        #expect(bench.refusal(of: bench.cancel(toggle.id)) == busy)
        #expect(bench.commands.isEmpty)
        #expect(bench.stored.count == askedAt, "nothing is journalled of it")
        bench.step(.replayed(unread, unreadUpTo: nil))
        #expect(bench.replies(to: bench.toggle(id: toggle.id).correlation) == [before])
        #expect(bench.replies(to: bench.ask(.outcome(toggle.id))) == [before])
        #expect(bench.commands.isEmpty)
    }

    @Test("a request newer than all unread segments is executed at once")
    func newBeforeReplay() throws {
        bench.toggle()
        bench.carryOutNewest()
        let unread = bench.restartBeforeReplay()
        let toggle = bench.toggle()
        bench.carryOutNewest()
        let after = try #require(bench.replies(to: toggle.correlation).first)
        bench.step(.replayed(unread, unreadUpTo: nil))
        #expect(bench.replies(to: bench.ask(.outcome(toggle.id))) == [after])
        #expect(bench.rows[0].reported.version == Version(3))
    }

    @Test("no outcome is forgotten before all segments are read: unread ones are older")
    func nothingRemovedBeforeReplay() {
        let bench = Bench.withDevices { $0.retention.results = 0 }
        bench.toggle()
        bench.carryOutNewest()
        let unread = bench.restartBeforeReplay()
        bench.toggle()
        bench.carryOutNewest()
        bench.stored = []
        bench.passWithPings(.seconds(180))
        #expect(bench.stored.isEmpty)
        bench.step(.replayed(unread, unreadUpTo: nil))
        bench.passWithPings(.seconds(1))
        #expect(bench.stored.contains { if case .horizonRaised = $0 { true } else { false } })
    }

    @Test("the horizon is the same after a restart")
    func horizon() throws {
        let bench = Bench.withDevices { $0.retention.results = 1 }
        var ids: [RequestID] = []
        for _ in 0..<3 {
            ids.append(bench.toggle().id)
            bench.carryOutNewest()
            bench.passWithPings(.seconds(61))
        }
        try bench.restart()
        bench.pass(.milliseconds(10))
        #expect(bench.refusal(of: bench.toggle(id: ids[0]).correlation)?.kind == "idTooOld")
        #expect(bench.replies(to: bench.ask(.outcome(ids[2]))).count == 1)
    }

    @Test("open requests are written again in full, so that a journal may begin with them")
    func openEntries() throws {
        for _ in 0..<3 { bench.toggle(timeout: .seconds(20)) }
        let cancelled = bench.toggle(1, timeout: .seconds(20)).id
        bench.cancel(cancelled)
        bench.stored = bench.controller.openEntries
        try bench.restartWithNode()
        #expect(bench.aborts.map(\.requestID) == [cancelled])
        for _ in 0..<3 { bench.carryOutNewest() }
        #expect(bench.rows[0].reported.version == Version(4))
    }

    @Test("no request is admitted while the storage is full, and known ones are answered")
    func full() {
        let toggle = bench.toggle()
        bench.carryOutNewest()
        bench.step(.storage(isFull: true))
        #expect(
            bench.refusal(of: bench.toggle().correlation) == .storageFull(retryAfter: Limits.storageRetry))
        #expect(
            bench.refusal(of: bench.cancel(bench.newID())) == .storageFull(retryAfter: Limits.storageRetry))
        #expect(bench.outcome(of: bench.toggle(id: toggle.id).correlation) == .applied(bench.reportedState()))
        bench.step(.storage(isFull: false))
        bench.effects = []
        bench.toggle()
        #expect(bench.commands.count == 1)
    }
}
