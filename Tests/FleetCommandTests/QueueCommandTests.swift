import ArgumentParser
import FleetProtocol
import Foundation
import ProcessSupport
import Synchronization
import TestSupport
import Testing
import UnixSignals
import UserText

@testable import fleet

@Suite("Command queue commands", .timeLimit(.minutes(1)))
struct QueueCommandTests {
    private static let device = DeviceID(fleetSeed: 1, index: 0)
    private static let id = RequestID(high: 0x0190_a6e8_7c5b_7d2e, low: 0x9a41_3f5b_8c2d_1e07)

    private func report(
        _ state: QueueState, _ progress: [QueueProgress], onFailure: QueuePlan.OnFailure = .stop
    ) throws -> QueueReport {
        let commands = progress.indices.map {
            QueueCommand(label: "\($0 + 1)", device: Self.device, kind: .toggle, takes: .seconds($0 + 1))
        }
        return QueueReport(
            id: Self.id, plan: try QueuePlan(commands: commands, onFailure: onFailure),
            author: try #require(Email("demo@sensibus.local")), startedAt: Self.id.time, state: state,
            endedAt: state.isFinal ? Self.id.time : nil, progress: progress)
    }

    private func end(_ kind: QueuedOutcome.Kind, _ why: String = "") -> QueueProgress {
        .ended(Self.id, QueuedOutcome(kind, why, at: Self.id.time))
    }

    @Test(
        "a steered queue's new state is printed, and a missing queue is reported",
        arguments: QueueSteering.allCases)
    func steer(steering: QueueSteering) async throws {
        let reached: QueueState =
            switch steering {
            case .pause: .paused
            case .resume: .running
            case .stop: .stopping
            case .cancel: .cancelling
            }
        let line = ["queue", "\(steering)", Self.id.description]
        let standing = try report(reached, [end(.applied), .running(Self.id)])
        let (status, output) = try await ScriptedController.run(line) { body in
            body == .commandQueues(.steer(Self.id, steering)) ? .commandQueues(.report(standing)) : nil
        }
        #expect(status == .done)
        #expect(
            output.results == ["queue \(Self.id) is \(reached.name): 1 of 2 commands has ended"])
        let over = try report(.done, [end(.applied)])
        let (late, lateOutput) = try await ScriptedController.run(line) { _ in .commandQueues(.report(over)) }
        #expect(late == .refused)
        #expect(lateOutput.talk.contains("it cannot \(steering) any more: it is done"))
        let (missing, absent) = try await ScriptedController.run(line) { _ in .refusal(.notFound) }
        #expect(missing == .notPermitted)
        #expect(absent.talk.contains("no command queue \(Self.id) in this account"))
    }

    @Test("queues are listed as a table and as JSON lines")
    func list() async throws {
        let summary = try report(.failed, [end(.rejected, "no"), .skipped]).summary
        let script: ScriptedController.Script = { _ in
            .commandQueues(.list(QueueList(queues: [summary], isLast: true)))
        }
        let (_, output) = try await ScriptedController.run(["queue", "list"], script: script)
        #expect(output.results.count == 2)
        #expect(output.results.last?.hasPrefix("\(Self.id)  failed  1 of 2       1") == true)
        let (_, lines) = try await ScriptedController.run(["queue", "list", "--json"], script: script)
        #expect(lines.results.count == 1)
        #expect(lines.results[0].contains(#""state":"failed","isFinal":true"#))
        let (_, none) = try await ScriptedController.run(["queue", "list"]) { _ in
            .commandQueues(.list(QueueList(queues: [], isLast: true)))
        }
        #expect(none.talk.contains("fleet queue --demo"))
    }

    /// Starts and follows a queue against a controller that gives those replies.
    private func follow(
        _ commandQueue: QueueReport, stoppedBy signal: UnixSignal = .sigusr2,
        answers: @escaping @Sendable (QueueRequest) -> ClientReply.Body?
    ) async throws -> (status: fleet.ExitStatus, transcript: Transcript) {
        let place = try TemporaryRunDirectory()
        let token = try #require(Token(Array(repeating: 7, count: Token.length)))
        try StoredSession(
            email: try #require(Email("demo@sensibus.local")), account: try #require(AccountID("demo")),
            role: .owner, token: token
        ).write(to: place.directory.sessionFile)
        let controller = try await ScriptedController.open(in: place.directory) { body in
            if case .commandQueues(let request)? = body.decoded { answers(request) } else { nil }
        }
        let transcript = Transcript()
        let surroundings = Surroundings.test(transcript, stoppedBy: signal)
        let access = try ControllerAccess(to: place.directory, in: surroundings)
        let following = QueueFollowing(
            id: Self.id, names: QueueNames(commandQueue.plan, in: DeviceDirectory([])), isJSON: false,
            surroundings: surroundings)
        let status = try await access.withSession { try await following.run(commandQueue.plan, with: $0) }
        await controller.close()
        return (status, transcript)
    }

    @Test("following a queue survives lost replies and prints each command's end once")
    func follow() async throws {
        let steps = try [
            report(.running, [.running(Self.id), .waiting, .waiting]),
            report(.running, [end(.applied), .running(Self.id), .waiting]),
            report(.failed, [end(.applied), end(.refused, "offline\u{1b}"), .skipped]),
        ]
        let asked = Mutex(0)
        let (status, transcript) = try await follow(steps[0]) { request in
            if case .start(Self.id, _) = request { return .commandQueues(.report(steps[0])) }
            let count = asked.withLock { count in
                count += 1
                return count
            }
            // The first reply is lost, as when the controller restarts.
            if count == 1 { return .refusal(.busy(retryAfter: .milliseconds(1))) }
            return .commandQueues(.report(steps[min(count - 1, 2)]))
        }
        #expect(status == .refused)
        #expect(transcript.results.count == 2)
        #expect(transcript.results.first == "1")
        #expect(transcript.results.last == "2: \(Self.device): refused (offline\u{FFFD})")
        #expect(
            transcript.talk.contains(
                "is failed: 2 of 3 commands have ended, 1 failed, 1 left out"))
    }

    @Test(
        "leaving a followed queue prints whether it continues, or may not have started",
        .serialized, arguments: [false, true])
    func left(isAnswered: Bool) async throws {
        let running = try report(.running, [.running(Self.id)])
        let isAlarmed = Atomic(false)
        let (status, output) = try await follow(running, stoppedBy: .sigalrm) { request in
            if isAnswered, case .start = request { return .commandQueues(.report(running)) }
            // One signal only: a second would stay pending for the next handler.
            if !isAlarmed.exchange(true, ordering: .relaxed) { kill(getpid(), SIGALRM) }
            return .refusal(.busy(retryAfter: .milliseconds(1)))
        }
        #expect(status == .undecided)
        let text = isAnswered ? "the queue continues" : "the queue may or may not have been started"
        #expect(output.talk.contains("fleet: \(text); `fleet queue show \(Self.id)` shows"))
    }

    @Test("a queue is shown with one line for each command")
    func text() throws {
        let report = try report(.paused, [end(.conflict, "the device was changed meanwhile"), .waiting])
        let lines = report.lines(QueueNames(report.plan, in: DeviceDirectory([])))
        #expect(lines.count == 5)
        #expect(lines[1] == "is paused: 1 of 2 commands has ended, 1 failed; on failure: stop")
        #expect(lines[3].hasSuffix("conflict (the device was changed meanwhile)"))
        #expect(lines[4].hasSuffix("waiting"))
    }

    @Test("an invalid queue file is refused with its line before the queue starts")
    func wrongFile() async throws {
        let place = try TemporaryRunDirectory()
        let path = place.directory.path + "/bad.yaml"
        try Data("commands: [{do: jump, device: a}]".utf8).write(to: URL(filePath: path))
        let (status, output) = try await ScriptedController.run(["queue", path]) { _ in nil }
        #expect(status == .usage)
        #expect(output.talk.contains("bad.yaml:1:17: commands[0].do: found 'jump'; allowed: toggle"))
        #expect(output.talk.contains("nothing was started"))
    }

    @Test("a queue is started from a file or with --demo, and without either it is a usage error")
    func arguments() throws {
        #expect(throws: (any Error).self) { try Fleet.parseAsRoot(["queue"]) }
        #expect(throws: (any Error).self) { try Fleet.parseAsRoot(["queue", "pause", "nonsense"]) }
        let demo = try Fleet.parseAsRoot(["queue", "--demo"]) as? QueueRunCommand
        #expect(demo?.demo == true)
        let device = try Fleet.parseAsRoot(["queue", "--demo", "Hall"]) as? QueueRunCommand
        #expect(device?.source == "Hall")
        let file = try Fleet.parseAsRoot(["queue", "a.yaml", "--id", Self.id.description])
        #expect((file as? QueueRunCommand)?.id == Self.id)
    }

    @Test("the former name of a queue's commands is still accepted")
    func formerName() throws {
        let file = try Fleet.parseAsRoot(["sequence", "a.yaml"]) as? QueueRunCommand
        #expect(file?.source == "a.yaml")
        let paused = try Fleet.parseAsRoot(["sequence", "pause", Self.id.description]) as? QueuePauseCommand
        #expect(paused?.options.id == Self.id)
    }
}
