import ArgumentParser
import FleetProtocol
import Foundation
import LoadCore
import ProcessSupport
import Synchronization
import TestSupport
import Testing
import UnixSignals

@testable import fleet

/// `fleet load` over real sockets, against a controller of known latency.
@Suite("fleet load over real sockets", .timeLimit(.minutes(1)))
struct LoadCommandTests {
    /// The result of a run.
    private struct Ended {
        let status: fleet.ExitStatus?
        let transcript: Transcript
        /// The largest number of requests in one frame.
        let largestFrame: Int

        /// The report that was printed.
        func report() throws -> LoadReport {
            try LoadReport(json: try #require(transcript.results.last, "\(transcript.talk)"))
        }
    }

    /// Runs `fleet load` against a scripted controller, logged in.
    private func load(
        _ arguments: [String], stoppedBy signal: UnixSignal = .sigusr2,
        script: @escaping ScriptedController.Script = answer, delay: ScriptedController.Delay? = nil,
        loses: ScriptedController.Loss? = nil
    ) async throws -> Ended {
        let place = try TemporaryRunDirectory()
        try StoredSession.sample.write(to: place.directory.sessionFile)
        let controller = try await ScriptedController.open(
            in: place.directory, delay: delay, loses: loses
        ) { body in
            if case .snapshot = body { .snapshot(.sample()) } else { script(body) }
        }
        let line = ["load", "--warmup", "0s", "--run-dir", place.directory.path] + arguments
        let transcript = try await Fleet.output(of: line, stoppedBy: signal, status: nil)
        let largestFrame = await controller.largestFrame
        await controller.close()
        return Ended(status: transcript.status, transcript: transcript, largestFrame: largestFrame)
    }

    /// The replies of a controller whose devices apply every command.
    private static let answer: ScriptedController.Script = { body in
        switch body {
        case .command(let command): .outcome(.of(command, .applied(.sample)))
        case .cancel(let id, _): .cancel(id, .cancelled)
        default: .status(StatusReport(epoch: Epoch(1)))
        }
    }

    /// A delay of the remainder of the first 100 ms of each second since the first command.
    private static func stalls() -> ScriptedController.Delay {
        let began = Mutex<ContinuousClock.Instant?>(nil)
        return { body in
            guard case .command = body else { return .zero }
            let start = began.withLock { began in
                began = began ?? .now
                return began ?? .now
            }
            let inSecond = (ContinuousClock.now - start).wholeNanoseconds % 1_000_000_000
            return max(.zero, .milliseconds(100) - .nanoseconds(inSecond))
        }
    }

    @Test("an open loop shows a stall of 100 ms each second in its p99")
    func stallInOpenLoop() async throws {
        let median = try await attempt(upTo: 5, until: { $0 < 50_000 }) {
            let ended = try await load(
                ["--rate", "500", "--duration", "3s", "--arrivals", "uniform", "--json", "-"],
                delay: Self.stalls())
            #expect(ended.status == .done, "\(ended.transcript.talk)")
            let result = try ended.report().last.result
            #expect(result.offered == 1_500 && result.applied == 1_500)
            #expect(try #require(result.latencyUs.p99) > 80_000)
            return try #require(result.latencyUs.p50)
        }
        #expect(median < 50_000)
    }

    @Test("a closed loop with one request in flight hides stalls, and prints a note that it does")
    func stallInClosedLoop() async throws {
        let p99 = try await attempt(upTo: 5, until: { $0 < 80_000 }) {
            let ended = try await load(
                ["--in-flight", "1", "--duration", "3s", "--json", "-"], delay: Self.stalls())
            let result = try ended.report().last.result
            #expect(try #require(result.latencyUs.max) > 80_000)
            #expect(ended.transcript.talk.contains("latencies are understated during stalls"))
            return try #require(result.latencyUs.p99)
        }
        #expect(p99 < 80_000)
    }

    @Test(
        "requests that are due together over one connection leave in one frame, up to the bound",
        arguments: [(1, 1), (16, 16), (100, Limits.batchMessages)])
    func batches(inFlight: Int, largest: Int) async throws {
        let ended = try await load(
            ["--in-flight", "\(inFlight)", "--connections", "1", "--duration", "1s", "--json", "-"])
        #expect(ended.largestFrame == largest)
        let result = try ended.report().last.result
        #expect(result.applied == result.offered && result.failed == 0)
    }

    @Test("a known delay is measured within 2 percent")
    func constantDelay() async throws {
        let limitUs = 500_000 * (1 + 0.02 * Double(Slowdown.factor))
        let median = try await attempt(upTo: 5, until: { $0 < limitUs }) {
            let ended = try await load(
                ["--rate", "200", "--duration", "2s", "--connections", "2", "--json", "-"],
                delay: { body in
                    guard case .command = body else { return .zero }
                    return .milliseconds(500)
                })
            let median = try #require(try ended.report().last.result.latencyUs.p50)
            #expect(median >= 500_000)
            return median
        }
        #expect(median < limitUs)
    }

    @Test("a missed objective is printed and sets the exit status")
    func missed() async throws {
        let arguments = ["--rate", "100", "--duration", "300ms", "--slo", "p50<1us", "--slo", "max<20s"]
        let ended = try await load(arguments)
        #expect(ended.status == .refused)
        let text = ended.transcript.results.joined(separator: "\n")
        #expect(text.contains("p50<1us: MISSED") && text.contains("max<20s: met"))
    }

    @Test("a load sends commands to the filtered devices only, each with its own request ID")
    func filter() async throws {
        let asked = Mutex<[Command]>([])
        let arguments = ["--rate", "200", "--duration", "200ms", "--devices", "bedroom"]
        let ended = try await load(arguments) { body in
            if case .command(let command) = body { asked.withLock { $0.append(command) } }
            return Self.answer(body)
        }
        #expect(ended.status == .done)
        let commands = asked.withLock { $0 }
        #expect(Set(commands.map(\.device)) == Set([0, 1].map { DeviceID(fleetSeed: 1, index: $0) }))
        #expect(Set(commands.map(\.requestID)).count == commands.count && commands.count > 20)
        #expect(commands.allSatisfy { $0.kind == .toggle && $0.requestID.isVersion7 })
    }

    @Test("a load whose filter matches no device sends no command")
    func noDevice() async throws {
        let ended = try await load(["--devices", "cellar"], script: ScriptedController.unasked)
        #expect(ended.status == .notPermitted)
        #expect(ended.transcript.talk.contains("no device \"cellar\" in this account"))
    }

    @Test("a load continues through failures, and fails if every request fails")
    func failures() async throws {
        let arguments = ["--rate", "200", "--duration", "300ms"]
        let mixed = try await load(arguments) { body in
            guard case .command(let command) = body else { return Self.answer(body) }
            return command.requestID.low % 2 == 0
                ? .refusal(.busy(retryAfter: .zero)) : .outcome(.of(command, .applied(.sample)))
        }
        #expect(mixed.status == .done)
        #expect(mixed.transcript.results.contains { $0.contains("busy ") && $0.contains("applied ") })
        let refusals: [(Refusal, fleet.ExitStatus)] = [
            (.offline(lastSeen: nil), .absent), (.notAllowed("look on"), .notPermitted),
            (.busy(retryAfter: .zero), .undecided),
        ]
        for (refusal, status) in refusals {
            let refused = try await load(arguments) { body in
                guard case .command = body else { return Self.answer(body) }
                return .refusal(refusal)
            }
            #expect(refused.status == status)
            #expect(refused.transcript.talk.contains("no toggle was applied: \(refusal.name)"))
        }
    }

    @Test("a load asks again, over the next connection, for replies that were lost with a connection")
    func lostConnection() async throws {
        let copies = Mutex<[RequestID: Int]>([:])
        let isLost = Mutex(false)
        let arguments = ["--rate", "100", "--duration", "1s", "--connections", "1", "--json", "-"]
        let ended = try await load(arguments) { body in
            guard case .command(let command) = body else { return Self.answer(body) }
            // Every reply to a toggle from the 30th to the 39th is lost.
            let number = copies.withLock { copies in
                copies[command.requestID, default: 0] += 1
                return copies[command.requestID] == 1 ? copies.count : 0
            }
            return (30..<40).contains(number) ? nil : Self.answer(body)
        } loses: { body in
            guard case .command(let command) = body else { return false }
            let isDue = copies.withLock { $0.count == 39 && $0[command.requestID] == nil }
            return isLost.withLock { isLost in
                defer { isLost = isLost || isDue }
                return isDue && !isLost
            }
        }
        let result = try ended.report().last.result
        #expect(ended.status == .done && result.failed == 0 && result.applied == result.offered)
        let sent = copies.withLock { $0 }
        #expect(sent.count >= result.applied - 1 && sent.values.count { $0 > 1 } >= 10, "\(sent.values)")
    }

    @Test("a load of several kinds prints the figures of each")
    func mix() async throws {
        let kinds = Mutex(Set<CommandKind>())
        let ended = try await load(
            ["--rate", "300", "--duration", "1s", "--mix", "toggle=1,set=1,read=1,cancel=1"]
        ) { body in
            if case .command(let command) = body { _ = kinds.withLock { $0.insert(command.kind.kind) } }
            return Self.answer(body)
        }
        #expect(ended.status == .done, "\(ended.transcript.talk)")
        #expect(kinds.withLock { $0 } == [.toggle, .set])
        let lines = ended.transcript.results
        let heading = try #require(lines.firstIndex { $0.hasPrefix("KIND") })
        let names = lines[(heading + 1)...].prefix(4).map { String($0.prefix { $0 != " " }) }
        #expect(names == ["toggle", "set", "read", "cancel"])
        #expect(lines[0].contains(" requests in "))
        #expect(ended.transcript.talk.contains("toggle=1,set=1,read=1,cancel=1"))
    }

    @Test("a load with an ended session fails before the measurement")
    func unauthenticated() async throws {
        let ended = try await load(["--duration", "1s"]) { _ in .refusal(.unauthenticated) }
        #expect(ended.status == .notPermitted)
    }

    @Test("a signal ends a load early, and the results so far are printed")
    func interrupted() async throws {
        let count = Mutex(0)
        let arguments = ["--rate", "100", "--duration", "1m", "--json", "-"]
        let ended = try await load(arguments, stoppedBy: .sigwinch) { body in
            guard case .command = body else { return Self.answer(body) }
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 30 { kill(getpid(), SIGWINCH) }
            return Self.answer(body)
        }
        #expect(ended.status == .done)
        let result = try ended.report().last.result
        #expect(!result.isComplete && result.durationSeconds < 30)
        #expect(result.applied == result.offered && result.applied >= 30)
        #expect(ended.transcript.talk.contains("interrupted after"))
    }

    @Test(
        "a load without a due toggle reports that, and writes its results",
        arguments: [
            (["--rate", "1", "--duration", "100ms"], "no toggle was due in 100ms"),
            (
                ["--rate", "1", "--duration", "100ms", "--mix", "toggle=1,read=1"],
                "no request was due in 100ms"
            ),
            (["--sweep", "0.5,1", "--duration", "100ms"], "no toggle was due in 100ms"),
        ])
    func nothingDue(arguments: [String], problem: String) async throws {
        let directory = try TemporaryDirectory()
        let place = directory.path
        let files = ["html", "csv", "metrics-file"].flatMap { ["--\($0)", "\(place)/\($0)"] }
        let ended = try await load(arguments + files + ["--slo", "p99<1s", "--json", "-"])
        #expect(ended.status == .refused)
        let talk = ended.transcript.talk
        #expect(talk.contains("fleet: \(problem)\n  raise the rate or the duration"), "\(talk)")
        #expect(!talk.contains("interrupted") && !talk.contains("too many failed"), "\(talk)")
        let report = try ended.report()
        #expect(report.steps.allSatisfy { $0.result.offered == 0 && $0.result.isComplete })
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 3)
    }

    @Test("results are written to complete files, and no other files are left")
    func files() async throws {
        let directory = try TemporaryDirectory()
        let place = directory.path
        let arguments = [
            "--rate", "100", "--duration", "300ms", "--json", "\(place)/a.json", "--hgrm", "\(place)/a.hgrm",
            "--html", "\(place)/a.html", "--csv", "\(place)/a.csv",
        ]
        #expect(try await load(arguments).status == .done)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names.sorted() == ["a.csv", "a.hgrm", "a.html", "a.json"])
        let json = try String(contentsOfFile: "\(place)/a.json", encoding: .utf8)
        #expect(try LoadReport(json: json).last.result.applied > 0)
        let compared = try await load(["--rate", "50", "--duration", "300ms", "--compare", "\(place)/a.json"])
        let text = compared.transcript.results.joined(separator: "\n")
        #expect(text.contains("COMPARED") && text.contains("settings differ: rate 50.0/s, was 100/s"))
        #expect(text.contains("\n  tester "))
    }

    @Test(
        "files that cannot be read or written are reported before a request is sent",
        arguments: [
            ["--json", "/nowhere/a.json"], ["--html", "/tmp"], ["--csv", "/tmp"],
            ["--compare", "/nowhere/old.json"], ["--metrics-file", "/nowhere/load.prom"],
        ])
    func badFiles(arguments: [String]) async throws {
        let ended = try await load(arguments, script: ScriptedController.unasked)
        #expect(ended.status == .usage)
        #expect(ended.transcript.talk.contains(arguments[1]))
    }

    @Test("a load ends early with status 1 once a condition holds, and says which")
    func aborted() async throws {
        let arguments = [
            "--rate", "100", "--duration", "1m", "--abort-on", "p50>10s", "--abort-on", "p50>1us/2s",
            "--json", "-",
        ]
        let ended = try await load(arguments)
        #expect(ended.status == .refused)
        let result = try ended.report().last.result
        #expect(!result.isComplete && result.durationSeconds < 30 && result.applied > 0)
        #expect(result.details.abortedBy == "p50>1us/2s")
        #expect(ended.transcript.talk.contains("of 1m: p50>1us/2s"))
    }

    @Test("a load over HTTP without its program says how to build it")
    func noProgram() async throws {
        let ended = try await load(["--target", "http"], script: ScriptedController.unasked)
        #expect(ended.status == .absent)
        #expect(ended.transcript.talk.contains("/nowhere/http-load is missing"))
        #expect(ended.transcript.talk.contains("make build"))
    }

    @Test(
        "a comparison with a directory needs a fleet of its own and one rate",
        arguments: [
            ([], "add --with-fleet"), (["--sweep", "50,60"], "give --rate in place of --sweep"),
            (["--metrics-file", "/tmp/load.prom"], "leave --metrics-file and --metrics-push out"),
        ])
    func comparedVersions(others: [String], advice: String) async throws {
        let ended = try await load(["--compare", "/tmp"] + others, script: ScriptedController.unasked)
        #expect(ended.status == .usage && ended.transcript.talk.contains(advice))
    }

    @Test(
        "contradictory or invalid load options are refused with a reason",
        arguments: [
            (["--rate", "0"], "a rate of 0 a second"), (["--rate", "-5"], "a rate of -5 a second"),
            (["--duration", "0s"], "a duration of 0 s"), (["--duration", "-3s"], "it is negative"),
            (["--warmup", "5"], "a number and a unit"),
            (["--rate", "5", "--in-flight", "1"], "give only one of"),
            (["--sweep", "5", "--in-flight", "1"], "give only one of"),
            (["--sweep", "5,,6"], "separated by commas"),
            (["--ramp", "5..6/1s", "--rate", "5"], "give only one of --rate and --ramp"),
            (["--ramp", "5..6/1s", "--duration", "5s"], "leave --duration out"),
            (["--ramp", "5..6"], "is not a ramp such as"),
            (["--mix", "fly=1"], "'fly' is not one of"), (["--mix", "set=1,set=2"], "it has set twice"),
            (["--mix", "set=0"], "add up to 0"), (["--mix", "set=many"], "is not a number"),
            (["--mix", "set=1", "--cancel-ratio", "0.1"], "leave --cancel-ratio out"),
            (["--mix", "set=1", "--retry-ratio", "0.1"], "leave --retry-ratio out"),
            (["--mix", "set=1,cancel=1", "--target", "http"], "Sensibo's API cannot cancel; leave cancel"),
            (["--in-flight", "0"], "0 in flight"),
            (["--in-flight", "2", "--arrivals", "poisson"], "closed loop"),
            (["--connections", "0"], "0 connections"), (["--cancel-ratio", "1.5"], "a fraction of 1.5"),
            (["--with-fleet", "0"], "--with-fleet 0"), (["--slo", "p99"], "is not an objective"),
            (["--with-fleet", "5", "--run-dir", "x"], "leave --run-dir out"),
            (["--scenario", "lively"], "add --with-fleet COUNT"),
            (["--metrics-push", "http://127.0.0.1:9091"], "is not an address such as"),
            (["--metrics-push", "https://a/b"], "pushed over http only"),
            (["--with-fleet", "5", "--scenario", "livly"], "did you mean lively?"),
            (["--with-fleet", "5", "--scenario", "/nowhere/a.yaml"], "no such file"),
            (["--self-test", "--run-dir", "x"], "leave --run-dir out"),
            (["--self-test", "--with-fleet", "5"], "leave --with-fleet out"),
            (["--self-test", "--devices", "x"], "leave --devices out"),
            (["--sweep", "1,2", "--hgrm", "x"], "--hgrm"),
            (["--target", "http", "--cancel-ratio", "0.1"], "--cancel-ratio: Sensibo's API cannot cancel"),
            (["--target", "http", "--retry-ratio", "0.1"], "--retry-ratio"),
            (["--target", "http", "--testers", "2"], "--testers"),
            (["--target", "http", "--self-test"], "--self-test"),
            (["--target", "http", "--url", "fleet"], "is not a gateway's URL"),
            (["--abort-on", "p99<5ms"], "is not a condition such as"),
            (["--abort-on", "p99>5ms", "--testers", "2"], "--abort-on is for a load of one tester"),
            (["--url", "http://fleet"], "--url is for --target http"),
            (["--target", "http", "--ca", "ca.pem"], "--ca is for a --url with https"),
            (["--target", "http", "--url", "http://a", "--with-fleet", "5"], "leave --url out"),
        ])
    func usage(arguments: [String], expected: String) {
        let text = Fleet.usageError(of: ["load"] + arguments)
        #expect(text.contains(expected), "\(text)")
    }
}
