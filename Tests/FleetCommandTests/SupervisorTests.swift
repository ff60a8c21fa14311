import ArgumentParser
import Bus
import FleetProtocol
import Glibc
import ProcessSupport
import Testing

@testable import fleet

private typealias Status = fleet.ExitStatus

@Suite("The supervisor and its processes", .timeLimit(.minutes(1)))
struct SupervisorTests {
    private func plan(
        _ name: String, _ role: ProcessRole, _ script: String = "exec sleep 60", in directory: RunDirectory
    ) -> ProcessPlan {
        ProcessPlan(
            name: name, role: role, executable: "/bin/sh", arguments: ["-c", script],
            stdio: .log(file: directory.logFile(of: name)))
    }

    private static let fleet = FleetPlan(devices: 1, nodes: 1, seed: 1, scenario: "quiet", restartsNodes: nil)

    /// The socket of a supervisor in its own run directory, and the events that its clients cause.
    private struct SupervisorSocket {
        private let place: TemporaryRunDirectory
        private let context: Context
        private let loop: Loop
        let transcript = Transcript()
        let server: SupervisorServer
        let events: AsyncStream<Supervision.Event>
        let inbox: AsyncStream<Supervision.Event>.Continuation

        var directory: RunDirectory { place.directory }

        init() async throws {
            place = try TemporaryRunDirectory()
            (events, inbox) = AsyncStream.makeStream(of: Supervision.Event.self)
            context = try Context()
            loop = try Loop.start(name: "test", context: context)
            server = SupervisorServer(on: loop) { [inbox] in inbox.yield(.asked($0, ticket: $1)) }
            try await server.open(at: try place.directory.endpoint(.supervisor))
        }

        func end() async {
            await loop.shutdown()
            context.terminate()
        }
    }

    @Test("a process runs in its own process group, and its output is appended to its log")
    func logs() async throws {
        let place = try TemporaryRunDirectory()
        let file = place.directory.logFile(of: "node-1")
        let script = "cat; echo out; echo err >&2; set -- $(cat /proc/$$/stat); [ $5 = $$ ] || exit 9; exit 3"
        for _ in 1...2 {
            let (orders, order) = AsyncStream.makeStream(of: Never.self)
            let runner = ProcessRunner(plan: plan("node-1", .node, script, in: place.directory))
            let end = await runner.run(until: orders) { #expect($0 > 1) }
            order.finish()
            #expect(end == .exited(3))
        }
        #expect(FileTail.lines(of: file) == ["out", "err", "out", "err"])
    }

    @Test("a process is ended with SIGTERM")
    func terminates() async throws {
        let place = try TemporaryRunDirectory()
        let (orders, order) = AsyncStream.makeStream(of: Never.self)
        let runner = ProcessRunner(plan: plan("x", .node, in: place.directory))
        let end = await runner.run(until: orders) { _ in order.finish() }
        #expect(end == .signaled(SIGTERM))
    }

    @Test("a process whose log is a symbolic link is not started, and the link's target is not created")
    func linkedLog() async throws {
        let place = try TemporaryRunDirectory()
        let victim = "\(place.directory.path)/victim"
        try #require(symlink(victim, place.directory.logFile(of: "x")) == 0)
        let (orders, order) = AsyncStream.makeStream(of: Never.self)
        let plan = plan("x", .node, "echo out", in: place.directory)
        let end = await ProcessRunner(plan: plan).run(until: orders) { _ in
            Issue.record("the process started")
        }
        order.finish()
        #expect(end.text.contains("is a symbolic link"))
        #expect(access(victim, F_OK) != 0)
    }

    @Test("a process that cannot be started reports the cause")
    func neverStarts() async throws {
        let place = try TemporaryRunDirectory()
        let (orders, order) = AsyncStream.makeStream(of: Never.self)
        let plan = ProcessPlan(
            name: "x", role: .node, executable: "/nowhere/x", arguments: [],
            stdio: .log(file: place.directory.logFile(of: "x")))
        let end = await ProcessRunner(plan: plan).run(until: orders) { _ in
            Issue.record("the process started")
        }
        order.finish()
        guard case .neverStarted = end else { return #expect(Bool(false), "\(end)") }
    }

    @Test("a fleet is started, listed, restarted and ended over its socket")
    func lifecycle() async throws {
        let socket = try await SupervisorSocket()
        let (directory, transcript) = (socket.directory, socket.transcript)
        let (announcements, announce) = AsyncStream.makeStream(of: [FleetProcess].self)
        let plans = [plan("controller", .controller, in: directory), plan("node-1", .node, in: directory)]
        var surroundings = Surroundings.test(transcript)
        surroundings.limits = { MachineLimits(memoryBytes: 9 << 20) }
        let shell = SupervisionShell(
            processes: { _ in plans }, surroundings: surroundings, directory: directory,
            server: socket.server, inbox: socket.inbox,
            announce: { processes throws(CommandFailure) in announce.yield(processes) })
        let rules = Supervision(Self.fleet, isShown: false)
        async let ended = shell.run(rules, on: socket.events) { .becameReady }
        let access = SupervisorAccess(directory: directory)
        for await _ in announcements { break }
        while try await access.ask(.processes)?.processes.allSatisfy({ $0.state == .running }) != true {}

        let restarted = try await access.ask(.restart("node-1"), timeout: .seconds(10))
        #expect(restarted?.failure == nil)
        let listed = try await access.ask(.processes, timeout: .seconds(10))
        #expect(listed?.processes.map(\.name) == ["controller", "node-1"])
        #expect(listed?.processes.map(\.restarts) == [0, 1])
        let unknown = try await access.ask(.restart("node-9"), timeout: .seconds(10))
        #expect(unknown?.failure?.contains("controller, node-1") == true)
        _ = try await access.ask(.scenario("worst-day", CloudDay(), beganAt: nil), timeout: .seconds(10))
        let tooLarge = try await access.ask(.scale(devices: 1_000_000), timeout: .seconds(10))
        #expect(tooLarge?.failure?.hasPrefix("9 MiB of memory are free") == true)
        let stopped = try await access.ask(.endFleet, timeout: .seconds(10))
        #expect(stopped?.failure == nil)
        let last = await ended
        #expect(last.hasEnded)
        #expect(last.plan.hasCrashes)
        #expect(last.rows.map(\.lastEnd).allSatisfy { $0.contains("signal 15") })
        await socket.end()
    }

    @Test("messages go to the log while an observer has the terminal, otherwise to the terminal")
    func screen() async throws {
        let socket = try await SupervisorSocket()
        let (directory, transcript) = (socket.directory, socket.transcript)
        let plans = [
            plan("controller", .controller, in: directory),
            plan("node-1", .node, in: directory),
            plan("observer", .observer, in: directory),
        ]
        let file = directory.logFile(of: "supervisor")
        try directory.recordGateway(url: "http://127.0.0.1:8701/")
        let shell = SupervisionShell(
            processes: { _ in plans }, surroundings: .test(transcript), directory: directory,
            server: socket.server, inbox: socket.inbox, announce: { _ throws(CommandFailure) in },
            log: AppendedLog(path: file, process: "supervisor"))
        async let ended = shell.run(Supervision(Self.fleet, isShown: true), on: socket.events) {
            .becameReady
        }
        let access = SupervisorAccess(directory: directory)
        func process(_ name: String) async throws -> FleetProcess? {
            try await access.ask(.processes)?.processes.first { $0.name == name }
        }
        while try await process("observer")?.state != .running {}
        while try await process("node-1")?.state != .running {}
        #expect(
            FileTail.lines(of: file).last?.hasSuffix(
                "page at http://127.0.0.1:8701/, log in as demo@sensibus.local: ? shows the password") == true
        )
        let node = try #require(try await process("node-1")?.processID)
        #expect(try await processID("node-1", in: directory, status: .done) == ["\(node)"])
        kill(node, SIGKILL)
        while try await process("node-1")?.state != .dead {}
        _ = try await processID("node-1", in: directory, status: .absent)
        _ = try await processID("node-2", in: directory, status: .usage)
        #expect(
            FileTail.lines(of: file).last?.contains("error supervisor: node-1 was ended by signal 9") == true)
        #expect(transcript.talk == "")
        kill(try #require(try await process("observer")?.processID), SIGKILL)
        while try await process("observer")?.restarts != 1 {}
        #expect(FileTail.lines(of: file).last?.contains("observer was ended by signal 9") == true)
        #expect(transcript.talk.hasPrefix("fleet: observer was ended by signal 9"))
        _ = try await access.ask(.endFleet, timeout: .seconds(10))
        #expect(await ended.hasEnded)
        await socket.end()
    }

    /// The output of `fleet status --pid`.
    private func processID(
        _ name: String, in directory: RunDirectory, status: fleet.ExitStatus
    ) async throws -> [String] {
        let line = ["status", "--pid", name, "--run-dir", directory.path]
        return try await Fleet.output(of: line, status: status).results
    }

    @Test("a request without a supervisor returns at once")
    func noSupervisor() async throws {
        let place = try TemporaryRunDirectory()
        let reply = try await SupervisorAccess(directory: place.directory).ask(
            .processes, timeout: .seconds(60))
        #expect(reply == nil)
    }

    @Test("a request to a supervisor that does not answer ends at its timeout")
    func silentSupervisor() async throws {
        let place = try TemporaryRunDirectory()
        let context = try Context()
        let socket = try Socket(.router, context: context, options: .defaults(for: .router))
        try socket.bind(try place.directory.endpoint(.supervisor))
        let reply = try await SupervisorAccess(directory: place.directory).ask(
            .processes, timeout: .milliseconds(50))
        #expect(reply == nil)
        socket.close()
        context.terminate()
    }

    @Test("ending a fleet that is not running prints so and succeeds", arguments: [true, false])
    func downWithoutFleet(exists: Bool) async throws {
        let place = try TemporaryRunDirectory()
        let path = place.directory.path + (exists ? "" : "/nothing")
        #expect(try await Fleet.output(of: ["down", "--run-dir", path]).talk.contains("nothing is running"))
    }

    @Test("a second fleet in a run directory is refused with the first one's process ID")
    func secondFleet() async throws {
        let place = try TemporaryRunDirectory()
        let lock = try FileLock(path: place.directory.lockFile(for: "supervisor"))
        let output = try await Fleet.output(of: ["up", "--run-dir", place.directory.path], status: .refused)
        #expect(output.talk.contains("a fleet is already running here (supervisor pid \(getpid()))"))
        #expect(output.talk.contains("`fleet down`"))
        lock.close()
    }

    @Test(
        "a command without what it needs says how to get it",
        arguments: [
            (["up"], true, Status.absent, "/nowhere/controller is missing"),
            (["toggle", "x"], true, .notPermitted, "`fleet login EMAIL`"),
            (["status"], false, .absent, "`fleet up`"),
            (["post", "edit", "1", "--title", ""], false, .usage, "title"),
            (["site", "add", ""], false, .usage, "name"),
        ])
    fileprivate func missing(line: [String], exists: Bool, status: Status, advice: String) async throws {
        let place = try TemporaryRunDirectory()
        let path = place.directory.path + (exists ? "" : "/nothing")
        let output = try await Fleet.output(of: line + ["--run-dir", path], status: status)
        #expect(output.talk.contains(advice), "\(output.talk)")
    }
}
