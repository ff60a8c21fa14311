import ArgumentParser
import FleetProtocol
import Glibc
import ProcessSupport
import TestSupport
import Testing
import UnixSignals
import UserText

@testable import fleet

@Suite("Commands against a scripted controller", .timeLimit(.minutes(1)))
struct CommandTests {
    private static let devices = ["Bedroom 1", "Bedroom 2", "Office"]

    /// Runs a command line as a logged-in user against a scripted controller; returns its status and its
    /// output.
    private func run(
        _ line: [String], stoppedBy signal: UnixSignal = .sigusr2, script: @escaping ScriptedController.Script
    ) async throws -> (status: fleet.ExitStatus, transcript: Transcript) {
        let place = try TemporaryRunDirectory()
        let email = try #require(Email("demo@sensibus.local"))
        let account = try #require(AccountID("demo"))
        let token = try #require(Token(Array(repeating: 7, count: Token.length)))
        try StoredSession(email: email, account: account, role: .owner, token: token)
            .write(to: place.directory.sessionFile)
        let controller = try await ScriptedController.open(in: place.directory) { body in
            if case .snapshot = body { return .snapshot(Self.snapshot) }
            return script(body)
        }
        let transcript = Transcript()
        let parsed = try Fleet.parseAsRoot(line + ["--run-dir", place.directory.path])
        let command = try #require(parsed as? any FleetCommand)
        let status = await command.status(in: .test(transcript, stoppedBy: signal))
        await controller.close()
        return (status, transcript)
    }

    static var snapshot: SnapshotChunk {
        let start = WallTime(unixMilliseconds: 1)
        let rows = devices.enumerated().map { index, name in
            SnapshotChunk.Row(
                device: DeviceID(fleetSeed: 1, index: UInt64(index)), name: name, node: NodeIndex(1),
                group: GroupNumber(1), reported: .sample, isConnected: true, connectedSince: start,
                asOf: start)
        }
        guard let name = NodeName("node-1") else { preconditionFailure("a node's name") }
        let node = SnapshotChunk.Node(
            index: NodeIndex(1), name: name, presence: Presence(.online, since: start))
        return SnapshotChunk(
            epoch: Epoch(1), sequence: StreamSequence(1), nextCursor: UInt32(rows.count), isLast: true,
            nodes: [node], groups: [SnapshotChunk.Group(number: GroupNumber(1), group: group)], rows: rows)
    }

    private static let group = DeviceGroup(
        model: .airPro, site: "Mill Lane", firmware: "", remote: .toggle)

    private static func report(_ command: Command, _ outcome: Outcome) -> ClientReply.Body {
        guard let user = Email("demo@sensibus.local") else { preconditionFailure("an email address") }
        return .outcome(
            OutcomeReport(
                requestID: command.requestID, device: command.device, outcome: outcome, user: user,
                attempts: 1, timing: .init(totalUs: 214)))
    }

    @Test("a toggle sends its options and prints its outcome")
    func toggle() async throws {
        let line = ["toggle", "office", "--timeout", "20s", "--expect-version", "4"]
        let (status, output) = try await run(line) { body in
            guard case .command(let command) = body else { return nil }
            #expect(command.kind == .toggle)
            #expect(command.device == DeviceID(fleetSeed: 1, index: 2))
            #expect(command.expected == DeviceState.sample.expectation)
            #expect(command.timeout.map { $0 > .seconds(10) && $0 <= .seconds(20) } == true)
            return Self.report(command, .applied(.sample))
        }
        #expect(status == .done)
        #expect(output.results == ["Office: on (version 4) in 0.21 ms"])
        #expect(output.talk.isEmpty)
    }

    @Test("a toggle without --expect-version expects no version, and --request-id is sent")
    func requestID() async throws {
        let line = ["toggle", "office", "--request-id", RequestID.sample.description, "--json"]
        let (status, output) = try await run(line) { body in
            guard case .command(let command) = body else { return nil }
            #expect(command.expected == nil)
            #expect(command.requestID == .sample)
            return .refusal(.offline(lastSeen: WallTime(unixMilliseconds: 1_000)))
        }
        #expect(status == .absent)
        #expect(output.results.count == 1)
        #expect(output.results[0].contains(#""outcome":"offline""#))
        #expect(output.results[0].contains(#""lastSeen":"1970-01-01T00:00:01.000Z""#))
    }

    @Test("a toggle of several devices prints a line for each and exits with the worst status")
    func several() async throws {
        let line = ["toggle", "bedroom 1", "bedroom 2", "office", "--json"]
        let (status, output) = try await run(line) { body in
            guard case .command(let command) = body else { return nil }
            switch command.device {
            case DeviceID(fleetSeed: 1, index: 0): return Self.report(command, .applied(.sample))
            case DeviceID(fleetSeed: 1, index: 1): return .refusal(.busy(retryAfter: .seconds(10)))
            default: return Self.report(command, .rejected("too hot"))
            }
        }
        #expect(status == .undecided)
        #expect(output.results.count == 3)
    }

    @Test(
        "a pattern, a site and `all` select several devices, and the command prints how many",
        arguments: [("bedroom*", 2), ("all", 3), ("site:mill lane", 3), ("site:mill*", 3)])
    func selected(selector: String, count: Int) async throws {
        let (status, output) = try await run(["set", selector, "--off"]) { body in
            guard case .command(let command) = body else { return nil }
            return Self.report(command, .applied(.sample))
        }
        #expect(status == .done)
        #expect(output.results.count == count)
        #expect(output.talk == "fleet: sending to \(count) devices")
    }

    @Test("a request ID with several devices is a usage error, and nothing is sent")
    func oneRequestID() async throws {
        let line = ["toggle", "all", "--request-id", RequestID.sample.description]
        let (status, output) = try await run(line) { body in
            Issue.record("asked: \(body)")
            return nil
        }
        #expect(status == .usage)
        #expect(output.talk.contains("3 devices are selected"))
    }

    @Test("a stop signal cancels a toggle, and the command prints whether that was in time")
    func interrupted() async throws {
        let line = ["toggle", "office", "--timeout", "30s"]
        let (status, output) = try await run(line, stoppedBy: .sigusr1) { body in
            switch body {
            case .command:
                kill(getpid(), SIGUSR1)
                return nil
            case .cancel(let id, _): return .cancel(id, .cancelled)
            default: return nil
            }
        }
        #expect(status == .refused)
        #expect(output.results.isEmpty)
        #expect(output.talk == "Office: cancelled: nothing was changed")
    }

    @Test("a set sends the given properties")
    func set() async throws {
        let (status, output) = try await run(["set", "office", "--off", "--mode", "heat"]) { body in
            guard case .command(let command) = body else { return nil }
            #expect(command.kind == .set(ACStateChange(isOn: false, mode: .heat)))
            return Self.report(command, .unchanged(.sample))
        }
        #expect(status == .done)
        #expect(output.results == ["Office: unchanged: on, cool, 22 °C, fan auto (version 4)"])
    }

    @Test("a set with --correct sends a correction")
    func correct() async throws {
        let (status, _) = try await run(["set", "office", "--off", "--correct"]) { body in
            guard case .command(let command) = body else { return nil }
            #expect(command.kind == .correct(ACStateChange(isOn: false)))
            return Self.report(command, .applied(.sample))
        }
        #expect(status == .done)
    }

    @Test(
        "a cancel prints its result and exits with that result's status",
        arguments: [(CancelReply.cancelled, fleet.ExitStatus.done), (.pending, .undecided)])
    func cancel(answer: CancelReply, expected: fleet.ExitStatus) async throws {
        let line = ["cancel", RequestID.sample.description, "--json"]
        let (status, output) = try await run(line) { body in
            guard case .cancel(let id, _) = body else { return nil }
            return .cancel(id, answer)
        }
        #expect(status == expected)
        #expect(output.results == [CancelLine(requestID: .sample, answer: answer).json.line])
    }

    @Test("the outcome of an unknown request is notFound", arguments: [true, false])
    func unknownOutcome(isJSON: Bool) async throws {
        let line = ["outcome", RequestID.sample.description] + (isJSON ? ["--json"] : [])
        let (status, output) = try await run(line) { _ in .refusal(.notFound) }
        #expect(status == .notPermitted)
        #expect(output.results.contains { $0.contains(#""outcome":"notFound""#) } == isJSON)
        #expect(output.talk.contains("`fleet cancel \(RequestID.sample)`") == !isJSON)
    }

    @Test("a fault is injected into the selected devices for the given time")
    func inject() async throws {
        let (status, output) = try await run(["inject", "offline", "bed*", "--for", "3s"]) { body in
            guard case .inject(let fault, let devices, let duration, _) = body else { return nil }
            #expect(fault == .offline)
            #expect(devices == [0, 1].map { DeviceID(fleetSeed: 1, index: $0) })
            #expect(duration == .seconds(3))
            return .injected(devices: UInt32(devices.count))
        }
        #expect(status == .done)
        #expect(output.results == ["offline: 2 devices for 3s"])
    }

    @Test("a slow fault has the given delay, and a crash is reported as a crash of nodes")
    func slowAndCrash() async throws {
        var (status, output) = try await run(["inject", "slow", "office", "--by", "700ms"]) { body in
            guard case .inject(.slow, let devices, .seconds(30), .milliseconds(700)) = body else {
                return nil
            }
            return .injected(devices: UInt32(devices.count))
        }
        #expect(status == .done)
        #expect(output.results == ["slow: 1 device, by 700ms for 30s"])
        (status, output) = try await run(["inject", "crash", "office"]) { body in
            guard case .inject(.crash, _, .zero, .zero) = body else { return nil }
            return .injected(devices: 1)
        }
        #expect(status == .done)
        #expect(
            output.results == [
                "crash: killed node-1; `fleet restart node-1` starts it again, unless the fleet does"
            ])
    }

    @Test(
        "a heal sends the selected devices, and none for all devices",
        arguments: [(["heal"], 0, 3), (["heal", "bed*"], 2, 1), (["heal", "all"], 3, 0)])
    func heal(line: [String], named: Int, healed: UInt32) async throws {
        let (status, output) = try await run(line) { body in
            guard case .heal(let devices) = body else { return nil }
            #expect(devices.count == named)
            return .carriedOut(OrderReport(devices: healed, nodes: 1))
        }
        #expect(status == .done)
        let text = ["no faults were active", "healed: 1 device", "", "healed: 3 devices"]
        #expect(output.results == [text[Int(healed)]])
    }

    @Test("a node that does not confirm a heal makes the heal undecided")
    func silentHeal() async throws {
        let (status, output) = try await run(["heal", "--json"]) { body in
            body == .heal([]) ? .carriedOut(OrderReport(devices: 4, nodes: 1, silentNodes: 2)) : nil
        }
        #expect(status == .undecided)
        #expect(output.results == [#"{"healed":4,"silentNodes":2,"cloudFaults":null}"#])
        #expect(output.talk.contains("2 nodes did not answer"))
    }

    @Test("a scenario is sent to the nodes, and their result is printed")
    func scenario() async throws {
        let (status, output) = try await run(["scenario", "office-day"]) { body in
            guard case .scenario("office-day", .some) = body else { return nil }
            return .carriedOut(OrderReport(devices: 30, nodes: 2, unchangedPopulations: 2))
        }
        #expect(status == .undecided)
        #expect(
            output.results == [
                "office-day: switched 30 devices on 2 nodes; devices keep the names and rooms that the fleet was "
                    + "started with"
            ])
        #expect(output.talk.contains("no supervisor answers"))
    }

    @Test("nodes that refuse a scenario or do not answer are reported")
    func scenarioNotApplied() async throws {
        let (status, output) = try await run(["scenario", "quiet", "--json"]) { body in
            guard case .scenario("quiet", .some) = body else { return nil }
            return .carriedOut(OrderReport(devices: 10, nodes: 1, silentNodes: 1, refusingNodes: 2))
        }
        #expect(status == .undecided)
        #expect(
            output.results == [
                #"{"scenario":"quiet","nodes":1,"devices":10,"populationKept":false,"silentNodes":1,"#
                    + #""refusingNodes":2}"#
            ])
        #expect(output.talk.contains("1 node did not answer"))
        #expect(output.talk.contains("2 nodes cannot read quiet"))
    }

    @Test("a scenario that the controller refuses is not sent to the supervisor")
    func scenarioRefused() async throws {
        let (status, output) = try await run(["scenario", "quiet"]) { _ in .refusal(.notAllowed("operators"))
        }
        #expect(status == .notPermitted)
        #expect(!output.talk.contains("supervisor"))
    }

    @Test("the status shows the controller's report when there is no supervisor")
    func status() async throws {
        // Without a supervisor the command waits only 0.5 s for the controller.
        let (status, output) = try await attempt(until: { $0.0 == .done }) {
            try await run(["status", "--json"]) { body in
                body == .status ? .status(StatusReport(epoch: Epoch(3), devices: 5, online: 4)) : nil
            }
        }
        #expect(status == .done)
        #expect(output.results.count == 1)
        #expect(output.results[0].hasPrefix(#"{"devices":5,"online":4,"#))
        #expect(output.results[0].contains(#""epoch":3,"processes":[],"runDir":""#))
    }

    @Test("a command with an ended session prints how to log in")
    func unauthenticated() async throws {
        let (status, output) = try await attempt(until: { $0.0 == .notPermitted }) {
            try await run(["status"]) { _ in .refusal(.unauthenticated) }
        }
        #expect(status == .notPermitted)
        #expect(output.talk.contains("`fleet login EMAIL`"))
    }

    @Test("a logout of a session that the controller does not know succeeds")
    func logout() async throws {
        let (status, output) = try await run(["logout"]) { _ in .refusal(.unauthenticated) }
        #expect(status == .done)
        #expect(output.talk.contains("the session had already ended"))
    }

    @Test("a list of devices is filtered by part of the name")
    func devices() async throws {
        let (status, output) = try await run(["devices", "BED", "--json"]) { _ in nil }
        #expect(status == .done)
        #expect(output.results.map { $0.contains("Bedroom") } == [true, true])
        let text =
            #""model":"airq","site":"Mill Lane","firmware":null,"remote":"toggle","measurements":null,"#
        #expect(output.results.allSatisfy { $0.contains(text) && $0.hasSuffix(#","node":"node-1"}"#) })
    }
}
