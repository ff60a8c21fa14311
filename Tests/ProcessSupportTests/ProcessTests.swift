import Bus
import FleetProtocol
import Glibc
import Testing

@testable import ProcessSupport

@Suite("SystemClock")
struct SystemClockTests {
    @Test("the monotonic clock never goes back")
    func monotonicNeverGoesBack() {
        let clock = SystemClock()
        var last = clock.now().monotonic
        for _ in 0..<1_000 {
            let now = clock.now().monotonic
            #expect(now >= last)
            last = now
        }
    }

    @Test("the wall clock counts milliseconds since 1970")
    func wallCountsMilliseconds() {
        let year2026 = WallTime(unixMilliseconds: 1_767_225_600_000)
        let year2100 = WallTime(unixMilliseconds: 4_102_444_800_000)
        #expect((year2026...year2100).contains(SystemClock().now().wall))
    }
}

@Suite("The check of a process's own files")
struct OwnerCheckTests {
    private static let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))

    @Test("it is due at first, and then each second")
    func interval() {
        var check = OwnerCheck()
        let due = [0, 0, 999, 1_000, 1_999, 2_000].map {
            check.isDue(at: Self.start.advanced(by: .milliseconds($0)))
        }
        #expect(due == [true, false, false, true, false, true])
    }

    @Test("it is due when the wall clock alone has advanced, or was set back", arguments: [3_600, -1])
    func resumed(seconds: Int) {
        var check = OwnerCheck()
        let later = Moment(
            monotonic: Self.start.monotonic.advanced(by: .milliseconds(1)),
            wall: Self.start.wall.advanced(by: .seconds(seconds)))
        let due = [Self.start, later, later].map { check.isDue(at: $0) }
        #expect(due == [true, true, false])
    }
}

@Suite("Requests to end")
struct StopSignalsTests {
    @Test(
        "a stop signal to a thread that blocks it is read from the descriptor, once",
        arguments: StopSignal.allCases)
    func read(signal: StopSignal) throws {
        let signals = try StopSignals()
        #expect(signals.read() == nil)
        #expect(pthread_kill(pthread_self(), signal.number) == 0)
        #expect(signals.read() == signal)
        #expect(signals.read() == nil)
    }

    @Test("a process whose parent is another than expected is an orphan, and without expectation is not")
    func orphan() {
        #expect(!ParentWatch(expectedParent: nil).isOrphaned)
        #expect(!ParentWatch(expectedParent: getppid()).isOrphaned)
        #expect(ParentWatch(expectedParent: getppid() + 1).isOrphaned)
    }
}

@Suite("Hardening of a process")
struct HardeningTests {
    @Test("a hardened process writes no core file, cannot be traced, and creates files for its user only")
    func apply() async {
        await #expect(processExitsWith: .success) {
            try #require(Hardening.isDumpable)
            try Hardening.apply(environment: [:])
            #expect(!Hardening.isDumpable)
            var limit = rlimit(rlim_cur: 1, rlim_max: 1)
            try #require(getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0)
            #expect(limit.rlim_cur == 0)
            #expect(limit.rlim_max == 0)
            #expect(umask(0) == 0o077)
        }
    }

    @Test("a process with SENSIBUS_TRACEABLE=1 can be traced, and writes no core file")
    func traceable() async {
        await #expect(processExitsWith: .success) {
            try Hardening.apply(environment: [Hardening.traceableVariable: "1"])
            #expect(Hardening.isDumpable)
            var limit = rlimit(rlim_cur: 1, rlim_max: 1)
            try #require(getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0)
            #expect(limit.rlim_max == 0)
        }
    }
}

/// The test changes the limit of its process, so it runs in its own process.
@Suite("The limit on open files")
struct DescriptorLimitTests {
    @Test("the limit on open files is raised to the hard limit, and more is refused")
    func raised() async {
        await #expect(processExitsWith: .success) {
            let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit(rlim_cur: 100, rlim_max: 300)
            #expect(setrlimit(kind, &limit) == 0)
            let raised = try DescriptorLimit.raise(needing: 300)
            #expect(raised == 300)
            #expect(getrlimit(kind, &limit) == 0 && limit.rlim_cur == 300)
            let error = #expect(throws: RuntimeError.self) { _ = try DescriptorLimit.raise(needing: 301) }
            #expect(error == .tooFewDescriptors(limit: 300, needed: 301))
            let text = "the limit on open files is 300, and 301 are needed. Raise the hard limit"
            #expect(error?.description.contains(text) == true)
        }
    }
}

@Suite("The environment")
struct EnvironmentTests {
    @Test("a variable that is set and empty counts as unset")
    func empty() async {
        await #expect(processExitsWith: .success) {
            setenv("SENSIBUS_EMPTY", "", 1)
            setenv("SENSIBUS_BLANK", " ", 1)
            #expect(Environment.current["SENSIBUS_EMPTY"] == nil)
            #expect(Environment.current["SENSIBUS_BLANK"] == " ")
        }
    }
}

@Suite("The priority of a thread")
struct ThreadPriorityTests {
    @Test(
        "lowering the priority of a thread does not affect the other threads of its process",
        .timeLimit(.minutes(1)))
    func isItsOwn() async throws {
        try await Loop.withThread(name: "ordinary") { ordinary in
            try await Loop.withThread(name: "gives way") { yielding in
                let before = await niceValue(on: ordinary)
                yielding.perform { ThreadPriority.giveWay() }
                #expect(await niceValue(on: yielding) == ThreadPriority.ofGivingWay)
                #expect(await niceValue(on: ordinary) == before)
            }
        }
    }

    @Test("a thread that uses the batch policy does not change other threads", .timeLimit(.minutes(1)))
    func batch() async throws {
        try await Loop.withThread(name: "usual") { usual in
            try await Loop.withThread(name: "batch") { batch in
                batch.perform { SchedulingPolicy.useBatch() }
                #expect(await isBatch(on: batch))
                #expect(await !isBatch(on: usual))
                batch.perform { SchedulingPolicy.useUsual() }
                #expect(await !isBatch(on: batch))
            }
        }
    }

    @Test("a policy that the user has chosen stays", .timeLimit(.minutes(1)))
    func chosen() async throws {
        // Of sched(7); the C library's header has it for _GNU_SOURCE only.
        let idle: Int32 = 5
        try await Loop.withThread(name: "chosen") { chosen in
            let policy = await withCheckedContinuation { continuation in
                chosen.perform {
                    var parameters = sched_param(sched_priority: 0)
                    sched_setscheduler(0, idle, &parameters)
                    SchedulingPolicy.useBatch()
                    SchedulingPolicy.useUsual()
                    continuation.resume(returning: sched_getscheduler(0))
                }
            }
            #expect(policy == idle)
        }
    }

    private func isBatch(on loop: Loop) async -> Bool {
        await withCheckedContinuation { continuation in
            loop.perform { continuation.resume(returning: SchedulingPolicy.isBatch(0)) }
        }
    }

    private func niceValue(on loop: Loop) async -> Int32 {
        await withCheckedContinuation { continuation in
            loop.perform { continuation.resume(returning: ThreadPriority.niceValue) }
        }
    }
}

@Suite("MemoryLimit")
struct MemoryLimitTests {
    @Test(
        "a memory limit is written in MiB or GiB",
        arguments: [("64M", 64), ("512m", 512), ("2G", 2_048), ("1024G", 1 << 20), ("1048576M", 1 << 20)])
    func spelled(text: String, mebibytes: Int) throws {
        let limit = try MemoryLimit.named(text)
        #expect(limit.mebibytes == mebibytes)
        #expect(try MemoryLimit.named(limit.argument) == limit)
    }

    @Test(
        "a memory limit of another form, or out of range, is refused",
        arguments: ["", "M", "512", "63M", "1025G", "-1G", "1.5G", "2T", "18014398509481985G"])
    func misspelled(text: String) {
        let error = RuntimeError.invalidValue(
            text, of: "memory limit", allowed: "write 64M to 1024G, such as 512M")
        #expect(throws: error) { try MemoryLimit.named(text) }
    }

    @Test("a memory limit counts the process's private memory")
    func counted() throws {
        let before = try MemoryLimit.mebibytesInUse()
        let block = [UInt8](repeating: 7, count: 256 << 20)
        let with = try MemoryLimit.mebibytesInUse()
        #expect(block.count == 256 << 20)
        // Other tests of this process may free memory during this: checking a password takes 64 MiB.
        #expect(before > 0 && with - before > 64)
        #expect(try MemoryLimit.standard.check() > 0)
        let least = try MemoryLimit.named("64M")
        #expect(throws: RuntimeError.self) { try least.check() }
    }

    @Test("a process that exceeds its memory limit while its loop runs is told once", .timeLimit(.minutes(1)))
    func watched() async {
        await #expect(processExitsWith: .success) {
            let context = try Context()
            let loop = try Loop(name: "watched", context: context)
            let limit = try MemoryLimit.named("256M")
            var failures: [RuntimeError] = []
            let watch = MemoryWatch(limit, on: loop) { failure in
                failures.append(failure)
                loop.stop()
            }
            try watch.begin()
            try watch.end()
            let block = [UInt8](repeating: 7, count: 300 << 20)
            loop.schedule(after: .milliseconds(200)) {}
            loop.run()
            #expect(block.count == 300 << 20)
            #expect(failures.count == 1)
            let failure = try #require(failures.first)
            #expect(throws: failure) { try watch.end() }
        }
    }
}

@Suite("The names of programs")
struct ProgramTests {
    /// A text with commands, and what an installed program shows.
    struct Wording: Sendable {
        let text: String
        let installed: String
    }

    private static let wordings = [
        Wording(text: "start one with `fleet up`", installed: "start one with `sensibus up`"),
        Wording(text: "run `observer`, or `fleet`", installed: "run `sensibus observer`, or `sensibus`"),
        Wording(text: "`device-sim run` hosts devices", installed: "`sensibus device-sim run` hosts devices"),
        Wording(text: "see `fleet\nup`", installed: "see `sensibus\nup`"),
        Wording(text: "fleet: stopped", installed: "sensibus: stopped"),
        Wording(
            text: "EXAMPLES\n  fleet up\n  key=$(fleet apikey create x)\n  observer --json",
            installed:
                "EXAMPLES\n  sensibus up\n  key=$(sensibus apikey create x)\n  sensibus observer --json"),
        // Words, listed subcommands and explanations of options.
        Wording(text: "the fleet up there: fleet", installed: "the fleet up there: fleet"),
        Wording(
            text: "  observer                Show a fleet",
            installed: "  observer                Show a fleet"),
        Wording(
            text: "                          fleet or a file",
            installed: "                          fleet or a file"),
        Wording(text: "`fleets` and `controllers`", installed: "`fleets` and `controllers`"),
        Wording(text: "controller: serving\n\nfleet\n", installed: "controller: serving\n\nfleet\n"),
    ]

    @Test("an installed program names commands as its user calls them", arguments: wordings)
    func installed(wording: Wording) {
        #expect(Program.installed(wording.text) == wording.installed)
    }

    @Test("a program of a build leaves the names of commands unchanged")
    func built() {
        #expect(Self.wordings.allSatisfy { Program.worded($0.text) == $0.text })
        #expect(Program.observer.command == "observer")
    }
}
