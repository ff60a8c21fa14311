import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

@Suite("Command queues")
struct QueueTests {
    private let bench = Bench.withDevices()

    @Test("a queue sends each command after the previous one has ended, with its duration")
    func order() throws {
        let (id, correlation) = bench.start(try bench.plan())
        #expect(bench.queueReply(to: correlation)?.state == .running)
        for count in 1...3 {
            #expect(bench.commands.count == count)
            let command = try #require(bench.commands.last)
            #expect(command.takesMs == 2_000)
            #expect(command.timeToLive == .seconds(32))
            #expect(command.identity.device == Bench.device(count - 1))
            #expect(bench.progress(id).filter { $0 == "running" }.count == 1)
            bench.now = bench.now.advanced(by: .seconds(2))
            bench.send(.ping())
            bench.carryOutLast()
        }
        let report = try #require(bench.commandQueue(id))
        #expect(report.state == .done)
        #expect(report.failedCount == 0)
        #expect(report.endedAt == bench.now.wall)
        #expect(bench.rows.map(\.reported.version.value) == [2, 2, 2])
    }

    @Test("a queue is stored before its commands are sent, and its ends before they are published")
    func storedFirst() throws {
        let id = bench.newID()
        let correlation = bench.ask(.commandQueues(.start(id, try bench.plan())))
        #expect(bench.recordChanges.count == 1)
        #expect(bench.replies(to: correlation).count == 1)
        #expect(bench.journal.isEmpty)
        bench.step(.turn(lastTook: .zero))
        #expect(bench.commands.isEmpty, "what was started in this turn is not stored yet")
        #expect(bench.controller.nextDue == bench.now.monotonic)
        bench.step(.turn(lastTook: .zero))
        let command = try #require(bench.commands.first)
        let request = try #require(bench.runningRequest(of: id))
        #expect(command.identity.requestID == request)
        #expect(request.isVersion7)
        #expect(request.time == bench.now.wall)
        #expect(request.low == id.low)
    }

    @Test("a repeated start of a queue has no effect, and another queue with its ID is a mismatch")
    func repeated() throws {
        let plan = try bench.plan()
        let (id, _) = bench.start(plan)
        bench.carryOutLast()
        let again = bench.start(plan, id: id)
        #expect(bench.queueReply(to: again.correlation)?.endedCount == 1)
        #expect(bench.commands.count == 2)
        let other = bench.start(try bench.plan(2), id: id)
        #expect(bench.refusal(of: other.correlation) == .idMismatch)
    }

    @Test(
        "after a failure a queue leaves out the other commands or continues, as its plan says",
        arguments: [false, true])
    func failure(continues: Bool) throws {
        let (id, _) = bench.start(try bench.plan(3, continues ? .proceed : .stop))
        bench.answer(try #require(bench.commands.last).identity, .rejected("no such mode"))
        bench.turns()
        guard continues else {
            #expect(bench.progress(id) == ["rejected", "leftOut", "leftOut"])
            #expect(bench.commandQueue(id)?.state == .failed)
            return
        }
        bench.carryOutLast()
        bench.carryOutLast()
        #expect(bench.progress(id) == ["rejected", "applied", "applied"])
        #expect(bench.commandQueue(id)?.state == .failed)
        guard case .ended(_, let end)? = bench.commandQueue(id)?.progress.first else { return }
        #expect(end.explanation == "no such mode")
    }

    @Test("a queue waits 30 s for an offline device, and then fails")
    func offline() throws {
        bench.setConnection(1, false)
        let (id, _) = bench.start(try bench.plan())
        bench.carryOutLast()
        bench.passWithPings(.seconds(29))
        #expect(bench.progress(id) == ["applied", "running", "waiting"])
        #expect(bench.commands.count == 1)
        bench.passWithPings(.seconds(2))
        #expect(bench.progress(id) == ["applied", "refused", "leftOut"])
    }

    @Test("a queue continues when its device is online again in time")
    func backOnline() throws {
        bench.setConnection(0, false)
        let (id, _) = bench.start(try bench.plan(1))
        bench.passWithPings(.seconds(5))
        bench.setConnection(0, true)
        bench.passWithPings(.seconds(1))
        bench.carryOutLast()
        #expect(bench.commandQueue(id)?.state == .done)
    }

    @Test("a queue's toggle overtaken by another change is a conflict if no time is left to repeat it")
    func overtaken() throws {
        let (id, _) = bench.start(try bench.plan(1, takes: .seconds(40)))
        bench.passWithPings(.seconds(40))
        bench.change(0, isOn: true)
        bench.carryOutNewest()
        bench.turns()
        #expect(bench.progress(id) == ["conflict"])
        #expect(Set(bench.commands.map(\.identity.commandNumber.value)) == [1])
    }

    @Test("a queue's long command is sent again once, after 1 s")
    func resends() throws {
        bench.start(try bench.plan(1, takes: .seconds(20)))
        bench.passWithPings(.seconds(19))
        #expect(bench.commands.count == 2)
        #expect(Set(bench.commands.map(\.identity)).count == 1)
        #expect(bench.commands.allSatisfy { $0.takesMs == 20_000 })
    }

    @Test("commands of a queue and toggles of other users take turns in a lane")
    func lane() throws {
        let first = bench.toggle(0)
        let (id, _) = bench.start(try bench.plan(1))
        let last = bench.toggle(0)
        #expect(bench.commands.map(\.takesMs) == [0])
        bench.carryOutLast()
        bench.carryOutLast()
        bench.carryOutLast()
        #expect(bench.commands.map(\.takesMs) == [0, 2_000, 0])
        #expect(bench.outcome(of: first.correlation)?.name == "applied")
        #expect(bench.outcome(of: last.correlation)?.name == "applied")
        #expect(bench.commandQueue(id)?.state == .done)
    }

    @Test("a queue's command expires after 30 s in its lane, even if it would take longer")
    func late() throws {
        let (first, _) = bench.start(try bench.plan(1, takes: .seconds(60)))
        let (second, _) = bench.start(try bench.plan(1, takes: .seconds(3_600)))
        bench.passWithPings(.seconds(29))
        #expect(bench.progress(second) == ["running"])
        bench.passWithPings(.seconds(2))
        #expect(bench.progress(second) == ["expired"])
        bench.carryOutLast()
        #expect(bench.progress(first) == ["applied"])
        #expect(bench.commands.allSatisfy { $0.takesMs == 60_000 })
        let toggle = bench.toggle(0)
        bench.carryOutLast()
        #expect(bench.outcome(of: toggle.correlation)?.name == "applied")
    }

    @Test("a queue whose ID has the random bits of another of its account is refused")
    func alike() throws {
        let (id, _) = bench.start(try bench.plan())
        let alike = RequestID(high: id.high - (1 << 16), low: id.low)
        let what = try #require(
            bench.refusal(of: bench.start(try bench.plan(), id: alike).correlation)?.problem)
        #expect(what.contains("random bits"))
    }

    @Test("a queue for an unknown device is not found, and one beyond the limit is refused")
    func refused() throws {
        bench.passWithPings(.seconds(3))
        let stranger = QueuePlan.demo(on: Bench.device(77))
        #expect(bench.refusal(of: bench.start(stranger).correlation) == .notFound)
        for _ in 0..<Limits.liveQueues { bench.start(try bench.plan()) }
        let what = try #require(bench.refusal(of: bench.start(try bench.plan()).correlation)?.problem)
        #expect(what.contains("16 command queues"))
    }

    @Test("a queue waits while the storage is full, and nothing unstored is published")
    func diskFull() throws {
        let (id, _) = bench.start(try bench.plan())
        bench.step(.storage(isFull: true))
        bench.carryOutNewest()
        bench.passWithPings(.seconds(2))
        #expect(bench.commands.count == 1)
        #expect(bench.refusal(of: bench.steer(id, .pause)) == .storageFull(retryAfter: Limits.storageRetry))
        bench.step(.storage(isFull: false))
        bench.passWithPings(.seconds(1))
        #expect(bench.commands.count == 2)
    }

    @Test("an ended queue is forgotten like requests, and its ID is then too old")
    func removed() throws {
        let bench = Bench.withDevices { $0.retention.longest = .seconds(60) }
        let plan = try bench.plan(1)
        let (id, _) = bench.start(plan)
        bench.carryOutLast()
        bench.passWithPings(.seconds(59))
        #expect(bench.commandQueue(id) != nil)
        bench.passWithPings(.seconds(2))
        #expect(bench.commandQueue(id) == nil)
        try bench.restartWithNode()
        #expect(bench.refusal(of: bench.start(plan, id: id).correlation)?.kind == "idTooOld")
        #expect(bench.commands.isEmpty)
    }

    @Test("the oldest ended queue makes room for a new one when there are a thousand")
    func room() throws {
        var commandQueues = CommandQueues(bounds: CommandQueues.Bounds(live: 2, count: 3))
        let bench = Bench()
        let plan = try bench.plan(1)
        let author = try #require(Email("a@b.c"))
        for account in AccountIndex(0)...1 {
            for index in 0..<3 {
                let now = bench.now.wall.advanced(by: .seconds(index))
                var run = QueueRun(bench.newID(), plan, by: author, at: now)
                run.steer(.cancel, at: now)
                run.commandEnded(QueuedOutcome(.cancelled, at: now))
                commandQueues[account].put(run)
                bench.now = bench.now.advanced(by: .milliseconds(5))
            }
        }
        #expect(commandQueues.isCrowded(0, by: 100, within: 12_000))
        let table = commandQueues[0]
        #expect(table.oldestEnded(since: .zero, at: bench.now.wall.advanced(by: .seconds(50))) == nil)
        let oldest = table.oldestEnded(since: .zero, at: bench.now.wall.advanced(by: .seconds(70)))
        #expect(oldest == table.ids.first)
        commandQueues[0].remove(try #require(oldest))
        #expect(!commandQueues.isCrowded(0, by: 100, within: 12_000))
        #expect(commandQueues.isCrowded(0, by: 12_000, within: 12_000))
        #expect(commandQueues[0].lag(of: try #require(oldest)) == .zero)
    }

    @Test("queues are listed page by page, the newest first")
    func list() throws {
        let ids = try (0..<5).map { _ in
            bench.now = bench.now.advanced(by: .milliseconds(1))
            return bench.start(try bench.plan()).id
        }
        let pages: [(before: RequestID?, limit: UInt32, ids: [RequestID], isLast: Bool)] = [
            (nil, 2, [ids[4], ids[3]], false), (ids[3], 100, [ids[2], ids[1], ids[0]], true),
        ]
        for (before, limit, expected, isLast) in pages {
            let request = QueueRequest.list(before: before, limit: limit)
            guard case .list(let list) = try bench.answer(to: request) else { throw CancellationError() }
            #expect(list.queues.map(\.id) == expected && list.isLast == isLast)
        }
    }
}
