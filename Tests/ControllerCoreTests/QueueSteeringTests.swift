import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

@Suite("Steering of queues")
struct QueueSteeringTests {
    private let bench = Bench.withDevices()

    @Test("a queue pauses after its running command, and can be resumed")
    func pause() throws {
        let (id, _) = bench.start(try bench.plan())
        #expect(bench.queueReply(to: bench.steer(id, .pause))?.state == .paused)
        #expect(bench.progress(id) == ["running", "waiting", "waiting"])
        bench.carryOutLast()
        bench.passWithPings(.seconds(5))
        #expect(bench.progress(id) == ["applied", "waiting", "waiting"])
        #expect(bench.commands.count == 1)
        #expect(bench.queueReply(to: bench.steer(id, .pause))?.state == .paused)
        #expect(bench.queueReply(to: bench.steer(id, .resume))?.state == .running)
        #expect(bench.queueReply(to: bench.steer(id, .resume))?.state == .running)
        #expect(bench.commands.count == 2)
    }

    @Test("a queue that is paused during its last command ends as done")
    func pauseAtEnd() throws {
        let (id, _) = bench.start(try bench.plan(1))
        bench.steer(id, .pause)
        bench.carryOutLast()
        #expect(bench.commandQueue(id)?.state == .done)
    }

    @Test(
        "a queue stops after its running command, paused or not, and cannot be resumed",
        arguments: [false, true])
    func stop(isPaused: Bool) throws {
        let (id, _) = bench.start(try bench.plan())
        if isPaused {
            bench.steer(id, .pause)
            bench.carryOutLast()
        }
        let state = bench.queueReply(to: bench.steer(id, .stop))?.state
        #expect(state == (isPaused ? .stopped : .stopping))
        bench.steer(id, .resume)
        bench.steer(id, .pause)
        bench.steer(id, .stop)
        if !isPaused { bench.carryOutLast() }
        #expect(bench.commandQueue(id)?.state == .stopped)
        #expect(bench.progress(id) == ["applied", "leftOut", "leftOut"])
        #expect(bench.commands.count == 1)
    }

    @Test("a cancelled queue ends by the device's answer to the abort", arguments: [false, true])
    func cancel(wasFaster: Bool) throws {
        let (id, _) = bench.start(try bench.plan(2))
        let command = try #require(bench.commands.last)
        #expect(bench.queueReply(to: bench.steer(id, .cancel))?.state == .cancelling)
        #expect(bench.aborts == [command.identity])
        bench.steer(id, .cancel)
        #expect(bench.journal.count { if case .cancelRequested = $0 { true } else { false } } == 1)
        if wasFaster { bench.carryOut(command) } else { bench.answer(command.identity, .aborted) }
        bench.turns()
        #expect(bench.commandQueue(id)?.state == .cancelled)
        #expect(bench.progress(id) == [wasFaster ? "applied" : "cancelled", "leftOut"])
        #expect(bench.commands.count == 1)
    }

    @Test("a queue whose command is queued or not yet admitted is cancelled at once")
    func cancelEarly() throws {
        bench.toggle(0)
        let (waiting, _) = bench.start(try bench.plan())
        #expect(bench.queueReply(to: bench.steer(waiting, .cancel))?.state == .cancelled)
        let id = bench.newID()
        bench.ask(.commandQueues(.start(id, try bench.plan())))
        bench.ask(.commandQueues(.steer(id, .cancel)))
        bench.turns()
        #expect(bench.commandQueue(id)?.state == .cancelled)
        #expect(bench.progress(id) == ["cancelled", "leftOut", "leftOut"])
        #expect(bench.commands.count == 1, "only the toggle was sent")
    }

    @Test("a cancel after the last command was applied does not change the queue")
    func tooLate() throws {
        let (id, _) = bench.start(try bench.plan(1))
        bench.steer(id, .cancel)
        bench.carryOutNewest()
        #expect(bench.commandQueue(id)?.state == .done)
        for steering in QueueSteering.allCases {
            #expect(bench.queueReply(to: bench.steer(id, steering))?.state == .done)
        }
        #expect(bench.refusal(of: bench.steer(bench.newID(), .stop)) == .notFound)
    }

    private struct Caller: CustomTestStringConvertible {
        let token: TokenDigest?
        let reads: Bool
        let steers: Bool
        var testDescription: String { "reads: \(reads), steers: \(steers)" }
    }

    @Test("members steer queues, viewers only read them, and other accounts do not find them")
    func access() throws {
        let member = TokenDigest.of(9)
        let email = try #require(Email("member@sensibus.local"))
        let bench = Bench.withDevices { configuration in
            let session = Session(
                account: configuration.users[0].session.account, email: email, role: .member,
                isOperator: false)
            configuration.users.append(ControllerConfiguration.User(session: session, passwordHash: "hash"))
            configuration.sessions.append(
                ControllerConfiguration.OpenSession(digest: member, email: email, openedAt: Bench.start))
        }
        bench.passWithPings(.seconds(3))
        let callers = [
            Caller(token: Bench.token, reads: true, steers: true),
            Caller(token: member, reads: true, steers: true),
            Caller(token: Bench.viewerToken, reads: true, steers: false),
            Caller(token: Bench.strangerToken, reads: false, steers: true),
            Caller(token: nil, reads: false, steers: false),
        ]
        let (id, _) = bench.start(try bench.plan())
        let before = try #require(bench.commandQueue(id))
        for caller in callers {
            let isOfAccount = caller.reads
            let read = bench.ask(.commandQueues(.report(id)), token: caller.token)
            #expect((bench.queueReply(to: read) != nil) == caller.reads, "\(caller)")
            let list = bench.ask(.commandQueues(.list(before: nil, limit: 10)), token: caller.token)
            if case .commandQueues(.list(let list))? = bench.replies(to: list).last?.decoded {
                #expect(list.queues.contains { $0.id == id } == isOfAccount, "\(caller)")
                #expect(isOfAccount || list.queues.isEmpty, "\(caller)")
            } else {
                #expect(caller.token == nil)
            }
            for steering in [QueueSteering.resume, .pause] {
                let answer = bench.steer(id, steering, token: caller.token)
                #expect((bench.queueReply(to: answer) != nil) == (caller.steers && isOfAccount), "\(caller)")
                bench.steer(id, .resume)
            }
            let start = bench.start(try bench.plan(2), token: caller.token)
            #expect(
                (bench.queueReply(to: start.correlation) != nil) == (caller.steers && isOfAccount),
                "\(caller)")
            if caller.token == Bench.viewerToken {
                #expect(bench.refusal(of: start.correlation)?.kind == "notAllowed")
            }
        }
        #expect(bench.commandQueue(id)?.progress.count == before.progress.count)
        #expect(bench.commandQueue(id)?.author == before.author)
    }
}
