import ArgumentParser
import FleetProtocol
import Glibc
import ProcessSupport
import Synchronization
import TestSupport
import Testing
import UnixSignals
import UserText

@testable import fleet

@Suite("Commands against a scripted controller", .timeLimit(.minutes(1)))
struct CommandTests {
    /// Runs a command line against a scripted controller with three devices.
    @discardableResult
    private func run(
        _ line: [String], stoppedBy signal: UnixSignal = .sigusr2, status expected: fleet.ExitStatus? = .done,
        sourceLocation: SourceLocation = #_sourceLocation, script: @escaping ScriptedController.Script
    ) async throws -> Transcript {
        try await ScriptedController.run(
            line, stoppedBy: signal, status: expected, sourceLocation: sourceLocation
        ) { body in
            if case .snapshot = body { .snapshot(.sample()) } else { script(body) }
        }
    }

    /// Runs a command line of commands that end with that outcome; returns the commands, too.
    private func send(
        _ line: [String], _ outcome: Outcome = .applied(.sample),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> (commands: [Command], output: Transcript) {
        let sent = Mutex<[Command]>([])
        let output = try await run(line, sourceLocation: sourceLocation) { body in
            guard case .command(let command) = body else { return nil }
            sent.withLock { $0.append(command) }
            return .outcome(.of(command, outcome))
        }
        return (sent.withLock { $0 }, output)
    }

    private static func ids(_ indices: UInt64...) -> [DeviceID] {
        indices.map { DeviceID(fleetSeed: 1, index: $0) }
    }

    @Test("a toggle sends its options and prints its outcome")
    func toggle() async throws {
        let (commands, output) = try await send(
            ["toggle", "office", "--timeout", "20s", "--expect-version", "4"])
        let command = try #require(commands.first)
        #expect(command.kind == .toggle)
        #expect(command.device == DeviceID(fleetSeed: 1, index: 2))
        #expect(command.expected == DeviceState.sample.expectation)
        #expect(command.timeout.map { $0 > .seconds(10) && $0 <= .seconds(20) } == true)
        #expect(output.results == ["Office: on (version 4) in 0.21 ms"])
        #expect(output.talk.isEmpty)
    }

    @Test("a toggle without --expect-version expects no version, and --request-id is sent")
    func requestID() async throws {
        let line = ["toggle", "office", "--request-id", RequestID.sample.description, "--json"]
        let output = try await run(line, status: .absent) { body in
            guard case .command(let command) = body else { return nil }
            #expect(command.expected == nil)
            #expect(command.requestID == .sample)
            return .refusal(.offline(lastSeen: WallTime(unixMilliseconds: 1_000)))
        }
        #expect(output.results.count == 1)
        #expect(output.results[0].contains(#""outcome":"offline""#))
        #expect(output.results[0].contains(#""lastSeen":"1970-01-01T00:00:01.000Z""#))
    }

    @Test("a toggle of several devices prints a line for each and exits with the worst status")
    func several() async throws {
        let line = ["toggle", "bedroom 1", "bedroom 2", "office", "--json"]
        let output = try await run(line, status: .undecided) { body in
            guard case .command(let command) = body else { return nil }
            switch command.device {
            case DeviceID(fleetSeed: 1, index: 0): return .outcome(.of(command, .applied(.sample)))
            case DeviceID(fleetSeed: 1, index: 1): return .refusal(.busy(retryAfter: .seconds(10)))
            default: return .outcome(.of(command, .rejected("too hot")))
            }
        }
        #expect(output.results.count == 3)
    }

    @Test(
        "a pattern, a site and `all` select several devices, and the command prints how many",
        arguments: [("bedroom*", 2), ("all", 3), ("site:mill lane", 3), ("site:mill*", 3)])
    func selected(selector: String, count: Int) async throws {
        let (_, output) = try await send(["set", selector, "--off"])
        #expect(output.results.count == count)
        #expect(output.talk == "fleet: sending to \(count) devices")
    }

    @Test("a request ID with several devices is a usage error, and nothing is sent")
    func oneRequestID() async throws {
        let line = ["toggle", "all", "--request-id", RequestID.sample.description]
        let output = try await run(line, status: .usage, script: ScriptedController.unasked)
        #expect(output.talk.contains("3 devices are selected"))
    }

    @Test("a stop signal cancels a toggle, and the command prints whether that was in time")
    func interrupted() async throws {
        let line = ["toggle", "office", "--timeout", "30s"]
        let output = try await run(line, stoppedBy: .sigusr1, status: .refused) { body in
            switch body {
            case .command:
                kill(getpid(), SIGUSR1)
                return nil
            case .cancel(let id, _): return .cancel(id, .cancelled)
            default: return nil
            }
        }
        #expect(output.results.isEmpty)
        #expect(output.talk == "Office: cancelled: nothing was changed")
    }

    @Test(
        "a set sends the given properties, and with --correct a correction",
        arguments: [
            (["--mode", "heat"], Command.Kind.set(ACStateChange(isOn: false, mode: .heat))),
            (["--correct"], .correct(ACStateChange(isOn: false))),
        ])
    func set(options: [String], kind: Command.Kind) async throws {
        let (commands, output) = try await send(["set", "office", "--off"] + options, .unchanged(.sample))
        #expect(commands.map(\.kind) == [kind])
        #expect(output.results == ["Office: unchanged: on, cool, 22 °C, fan auto (version 4)"])
    }

    @Test(
        "a cancel prints its result and exits with that result's status",
        arguments: [(CancelReply.cancelled, fleet.ExitStatus.done), (.pending, .undecided)])
    func cancel(answer: CancelReply, expected: fleet.ExitStatus) async throws {
        let line = ["cancel", RequestID.sample.description, "--json"]
        let output = try await run(line, status: expected) { body in
            guard case .cancel(let id, _) = body else { return nil }
            return .cancel(id, answer)
        }
        #expect(output.results == [CancelLine(requestID: .sample, answer: answer).json.line])
    }

    @Test("the outcome of an unknown request is notFound", arguments: [true, false])
    func unknownOutcome(isJSON: Bool) async throws {
        let line = ["outcome", RequestID.sample.description] + (isJSON ? ["--json"] : [])
        let output = try await run(line, status: .notPermitted) { _ in .refusal(.notFound) }
        #expect(output.results.contains { $0.contains(#""outcome":"notFound""#) } == isJSON)
        #expect(output.talk.contains("`fleet cancel \(RequestID.sample)`") == !isJSON)
    }

    @Test(
        "faults and heals are sent for the selected devices, and their result is printed",
        arguments: [
            (
                "inject offline bed* --for 3s",
                .inject(.offline, devices: ids(0, 1), duration: .seconds(3)), .injected(devices: 2),
                "offline: 2 devices for 3s"
            ),
            (
                "inject slow office --by 700ms",
                .inject(.slow, devices: ids(2), duration: .seconds(30), delay: .milliseconds(700)),
                .injected(devices: 1), "slow: 1 device, by 700ms for 30s"
            ),
            (
                "inject crash office", .inject(.crash, devices: ids(2), duration: .zero),
                .injected(devices: 1),
                "crash: killed node-1; `fleet restart node-1` starts it again, unless the fleet does"
            ),
            ("heal", .heal([]), .carriedOut(OrderReport(devices: 3, nodes: 1)), "healed: 3 devices"),
            (
                "heal bed*", .heal(ids(0, 1)), .carriedOut(OrderReport(devices: 1, nodes: 1)),
                "healed: 1 device"
            ),
            (
                "heal all", .heal(ids(0, 1, 2)), .carriedOut(OrderReport(nodes: 1)),
                "no faults were active"
            ),
        ] as [(String, ClientRequest.Body, ClientReply.Body, String)])
    func faults(
        line: String, request: ClientRequest.Body, reply: ClientReply.Body, result: String
    ) async throws {
        let output = try await run(line.split(separator: " ").map(String.init)) {
            switch $0 {
            case request: reply
            case .faults: .faults(FaultList())
            default: nil
            }
        }
        #expect(output.results == [result])
    }

    @Test("a node that does not confirm a heal makes the heal undecided")
    func silentHeal() async throws {
        let output = try await run(["heal", "--json"], status: .undecided) { body in
            switch body {
            case .heal([]): .carriedOut(OrderReport(devices: 4, nodes: 1, silentNodes: 2))
            case .faults: .faults(FaultList())
            default: nil
            }
        }
        #expect(output.results == [#"{"healed":4,"silentNodes":2,"cloudFaults":null}"#])
        #expect(output.talk.contains("2 nodes did not answer"))
    }

    @Test("a scenario is sent to the nodes, and their result is printed")
    func scenario() async throws {
        let output = try await run(["scenario", "office-day"], status: .undecided) { body in
            guard case .scenario("office-day", .some) = body else { return nil }
            return .carriedOut(OrderReport(devices: 30, nodes: 2, unchangedPopulations: 2))
        }
        #expect(
            output.results == [
                "office-day: switched 30 devices on 2 nodes; devices keep the names and rooms that the fleet was "
                    + "started with"
            ])
        #expect(output.talk.contains("no supervisor answers"))
    }

    @Test("nodes that refuse a scenario or do not answer are reported")
    func scenarioNotApplied() async throws {
        let output = try await run(["scenario", "quiet", "--json"], status: .undecided) { body in
            guard case .scenario("quiet", .some) = body else { return nil }
            return .carriedOut(OrderReport(devices: 10, nodes: 1, silentNodes: 1, refusingNodes: 2))
        }
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
        let output = try await run(["scenario", "quiet"], status: .notPermitted) { _ in
            .refusal(.notAllowed("operators"))
        }
        #expect(!output.talk.contains("supervisor"))
    }

    @Test("the status shows the controller's report when there is no supervisor")
    func status() async throws {
        // Without a supervisor the command waits only 0.5 s for the controller.
        let output = try await attempt(until: { $0.status == .done }) {
            try await run(["status", "--json"], status: nil) { body in
                body == .status ? .status(StatusReport(epoch: Epoch(3), devices: 5, online: 4)) : nil
            }
        }
        #expect(output.status == .done)
        #expect(output.results.count == 1)
        #expect(output.results[0].hasPrefix(#"{"devices":5,"online":4,"#))
        #expect(output.results[0].contains(#""epoch":3,"processes":[],"runDir":""#))
    }

    @Test("a command with an ended session prints how to log in")
    func unauthenticated() async throws {
        let output = try await attempt(until: { $0.status == .notPermitted }) {
            try await run(["status"], status: nil) { _ in .refusal(.unauthenticated) }
        }
        #expect(output.status == .notPermitted)
        #expect(output.talk.contains("`fleet login EMAIL`"))
    }

    @Test("a logout of a session that the controller does not know succeeds")
    func logout() async throws {
        let output = try await run(["logout"]) { _ in .refusal(.unauthenticated) }
        #expect(output.talk.contains("the session had already ended"))
    }

    @Test("a list of devices is filtered by part of the name")
    func devices() async throws {
        let output = try await run(["devices", "BED", "--json"]) { _ in nil }
        #expect(output.results.map { $0.contains("Bedroom") } == [true, true])
        let text =
            #""model":"airq","site":"Mill Lane","firmware":null,"remote":"toggle","measurements":null,"#
        #expect(output.results.allSatisfy { $0.contains(text) && $0.hasSuffix(#","node":"node-1"}"#) })
    }
}
