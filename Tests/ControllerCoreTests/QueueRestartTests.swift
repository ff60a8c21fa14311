import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

@Suite("Command queues across controller restarts")
struct QueueRestartTests {
    private let bench = Bench.withDevices()

    /// The moment of a controller's end, and how much of its last turn was stored.
    private struct Death: CustomTestStringConvertible {
        /// After which step of the run, from 0.
        let step: Int
        /// Whether the store's part of that step was stored; the journal's comes first.
        let isStoreRetained: Bool
        /// Whether the journal's part was.
        let isJournalRetained: Bool

        var testDescription: String {
            "behind step \(step), journal kept: \(isJournalRetained), store kept: \(isStoreRetained)"
        }

        static var all: [Death] {
            (0..<16).flatMap { step in
                [
                    Death(step: step, isStoreRetained: true, isJournalRetained: true),
                    Death(step: step, isStoreRetained: false, isJournalRetained: true),
                    Death(step: step, isStoreRetained: false, isJournalRetained: false),
                ]
            }
        }
    }

    /// Steps a controller through a queue of two commands for one device as a process would: an input and
    /// a turn, whose effects are then stored.
    private func run(_ bench: Bench, _ plan: QueuePlan, _ id: RequestID, dyingAt death: Death) throws {
        var (isStarted, answered, carriedOut) = (false, 0, Set<RequestID>())
        for step in 0..<60 {
            let (journal, batches) = (bench.stored.count, bench.recordBatches.count)
            if !isStarted {
                bench.ask(.commandQueues(.start(id, plan)))
                isStarted = true
            } else if answered < bench.commands.count {
                let command = bench.commands[answered]
                answered += 1
                let isRepeat = !carriedOut.insert(command.identity.requestID).inserted
                if isRepeat { bench.answer(command.identity, .applied) } else { bench.carryOut(command) }
            } else {
                bench.now = bench.now.advanced(by: .milliseconds(50))
                bench.send(.ping())
            }
            bench.step(.turn(lastTook: .zero))
            guard step == death.step else { continue }
            let lost = bench.stored.count - journal
            while !death.isStoreRetained, bench.recordBatches.count > batches {
                bench.recordBatches.removeLast()
            }
            try bench.restartWithNode(losing: death.isJournalRetained ? 0 : lost)
            answered = 0
            // The client that started it got no answer, or queries it with the same ID.
            bench.ask(.commandQueues(.start(id, plan)))
        }
    }

    @Test(
        "a queue is completed after a restart at any step, and no command is executed twice",
        arguments: Death.all)
    private func everyMoment(death: Death) throws {
        let id = bench.newID()
        let plan = try bench.plan(2, devices: 1)
        try run(bench, plan, id, dyingAt: death)
        #expect(bench.commandQueue(id)?.state == .done, "\(bench.progress(id))")
        #expect(bench.progress(id) == ["applied", "applied"])
        #expect(bench.reportedState().version == Version(3), "each toggle changed the device once")
        let requests = bench.stored.compactMap { entry -> RequestID? in
            if case .ended(_, let report, _, _) = entry { report.requestID } else { nil }
        }
        #expect(requests.count == 2)
        #expect(Set(requests).count == 2)
    }

    @Test("a queue's command is sent again with its duration after a restart")
    func takesAgain() throws {
        bench.start(try bench.plan(1, takes: .seconds(10)))
        let sent = try #require(bench.commands.last)
        try bench.restartWithNode(after: .seconds(4))
        let again = try #require(bench.commands.last)
        #expect(again.identity == sent.identity)
        #expect(again.takesMs == 10_000)
        #expect(again.timeToLive < sent.timeToLive)
    }

    @Test("a paused queue stays paused after a restart until it is resumed")
    func paused() throws {
        let (id, _) = bench.start(try bench.plan(2))
        bench.steer(id, .pause)
        bench.carryOutLast()
        try bench.restartWithNode()
        bench.passWithPings(.seconds(2))
        #expect(bench.progress(id) == ["applied", "waiting"])
        bench.steer(id, .resume)
        bench.carryOutLast()
        #expect(bench.commandQueue(id)?.state == .done)
    }

    @Test("a cancelled queue aborts its command after a restart, even if only the store has the cancel")
    func cancelled() throws {
        let (id, _) = bench.start(try bench.plan(2))
        let before = bench.stored.count
        bench.steer(id, .cancel)
        let cancels = bench.stored.count - before
        #expect(cancels == 1)
        try bench.restartWithNode(losing: cancels)
        bench.turns()
        let identity = try #require(bench.aborts.last)
        bench.answer(identity, .aborted)
        bench.turns()
        #expect(bench.progress(id) == ["cancelled", "leftOut"])
        #expect(bench.commandQueue(id)?.state == .cancelled)
    }

    @Test("a queue's command that may have been sent and is not in the journal is not sent again")
    func nothingReplayed() throws {
        let bench = Bench.withDevices { $0.restoresRequests = false }
        let (id, _) = bench.start(try bench.plan(2))
        bench.stored = []
        try bench.restartWithNode()
        bench.passWithPings(.seconds(3))
        #expect(bench.progress(id) == ["forgotten", "leftOut"])
        #expect(bench.commandQueue(id)?.state == .failed)
        #expect(bench.commands.isEmpty)
    }

    @Test("a queue continues when its command's outcome is read from the journal after the start")
    func replayedLater() throws {
        let (id, _) = bench.start(try bench.plan(2))
        bench.carryOutNewest()
        // The journal's part of the end was stored, the store's was not.
        bench.recordBatches.removeLast()
        let unread = bench.restartBeforeReplay()
        bench.turns()
        #expect(bench.progress(id) == ["running", "waiting"])
        #expect(bench.commands.isEmpty)
        bench.step(.replayed(unread, unreadUpTo: nil))
        bench.passWithPings(.seconds(1))
        #expect(bench.progress(id) == ["applied", "running"])
        #expect(bench.commands.count == 1)
    }
}
