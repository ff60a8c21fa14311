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
    private static let id = RequestID.sample

    private func report(
        _ state: QueueState, _ progress: [QueueProgress], onFailure: QueuePlan.OnFailure = .stop
    ) throws -> QueueReport {
        let commands = progress.indices.map {
            QueueCommand(label: "\($0 + 1)", device: Self.device, kind: .toggle, takes: .seconds($0 + 1))
        }
        return QueueReport(
            id: Self.id, plan: try QueuePlan(commands: commands, onFailure: onFailure),
            author: .demo, startedAt: Self.id.time, state: state,
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
        let output = try await ScriptedController.run(line) { body in
            body == .commandQueues(.steer(Self.id, steering)) ? .commandQueues(.report(standing)) : nil
        }
        #expect(output.results == ["queue \(Self.id) is \(reached.name): 1 of 2 commands has ended"])
        let over = try report(.done, [end(.applied)])
        let late = try await ScriptedController.run(line, status: .refused) { _ in
            .commandQueues(.report(over))
        }
        #expect(late.talk.contains("it cannot \(steering) any more: it is done"))
        let absent = try await ScriptedController.run(line, status: .notPermitted) { _ in .refusal(.notFound)
        }
        #expect(absent.talk.contains("no command queue \(Self.id) in this account"))
    }

    @Test("queues are listed as a table and as JSON lines")
    func list() async throws {
        let summary = try report(.failed, [end(.rejected, "no"), .skipped]).summary
        let script: ScriptedController.Script = { _ in
            .commandQueues(.list(QueueList(queues: [summary], isLast: true)))
        }
        let output = try await ScriptedController.run(["queue", "list"], script: script)
        #expect(output.results.count == 2)
        #expect(output.results.last?.hasPrefix("\(Self.id)  failed  1 of 2       1") == true)
        let lines = try await ScriptedController.run(["queue", "list", "--json"], script: script)
        #expect(lines.results.count == 1)
        #expect(lines.results[0].contains(#""state":"failed","isFinal":true"#))
        let none = try await ScriptedController.run(["queue", "list"]) { _ in
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
        try StoredSession.sample.write(to: place.directory.sessionFile)
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
        #expect(transcript.talk.contains("is failed: 2 of 3 commands have ended, 1 failed, 1 left out"))
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
        let output = try await ScriptedController.run(["queue", path], status: .usage) { _ in nil }
        #expect(output.talk.contains("bad.yaml:1:17: commands[0].do: found 'jump'; allowed: toggle"))
        #expect(output.talk.contains("nothing was started"))
    }

    @Test("a queue is started from a file or with --demo, also by the command's former name")
    func arguments() throws {
        #expect(try Fleet.parsed("queue --demo", as: QueueRunCommand.self).demo)
        #expect(try Fleet.parsed("queue --demo Hall", as: QueueRunCommand.self).source == "Hall")
        #expect(try Fleet.parsed("queue a.yaml --id \(Self.id)", as: QueueRunCommand.self).id == Self.id)
        #expect(try Fleet.parsed("sequence a.yaml", as: QueueRunCommand.self).source == "a.yaml")
        let paused = try Fleet.parsed("sequence pause \(Self.id)", as: QueuePauseCommand.self)
        #expect(paused.options.id == Self.id)
    }
}
