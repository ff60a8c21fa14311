import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// The system calls of the controller for a toggle, counted by `strace` in all of its threads.
    ///
    /// The number of calls for one toggle and for everything that arrived together depends on how much
    /// arrived together. So a thousand toggles are in flight at any time, all processes share one processor,
    /// and the controller gets the time that the others leave; and it is a release build, in which a turn of
    /// 2 ms handles dozens, where a debug build may handle two. Then 0.02 calls per toggle neither wait nor
    /// move messages, and there are 0.4 of all kinds; with a single toggle at a time there are 90.
    @Suite(
        "System calls of the controller", .enabled(if: Tracing.isAllowed, "\(Tracing.notAllowed)"),
        .enabled(if: Lab.isOfNamedProducts, "make counts has the release build that this needs"))
    struct SystemCallTests {
        /// Calls per toggle, except ``waiting``.
        private static let workAtMost = 0.1
        /// Calls of every kind per toggle.
        private static let callsAtMost = 1.0
        /// Calls per toggle that wait for the disk: a few occur when the journal begins a segment.
        private static let flushesAtMost = 0.001

        /// Calls that wait, wake a thread or move messages, including libzmq's own, and that read the clock
        /// where this is a call: their number is that of the batches of messages, which depends on the
        /// machine.
        private static let waiting: Set = [
            "clock_gettime", "epoll_ctl", "epoll_pwait", "epoll_wait", "futex", "getpid", "poll", "ppoll",
            "read", "recvfrom", "sched_yield", "sendto", "write",
        ]
        /// The number of toggles that are counted; a second has some thousands of them.
        private static let togglesAtLeast = 10_000
        private static let loadsAtMost = 10
        private static let flushing: Set = ["fdatasync", "fsync", "msync", "sync_file_range"]

        /// The number of each system call, and of all as `total`, for that many toggles.
        private struct Counts {
            let calls: [String: Int]
            let toggles: Int

            /// The calls per toggle of some names.
            func perToggle(_ isCounted: (String) -> Bool) -> Double {
                Double(calls.reduce(0) { isCounted($1.key) ? $0 + $1.value : $0 }) / Double(toggles)
            }

            /// The most frequent ones, for an investigation.
            var frequent: String {
                calls.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(12)
                    .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
            }
        }

        /// The keys of `fleet load --json` that are read here.
        private struct Result: Decodable {
            let outcomes: [String: Int]
        }

        @Test("a toggle under load takes a bounded number of the controller's system calls, and no flush")
        func underLoad() async throws {
            let counts = try await Self.count(durability: "process")
            let work = counts.perToggle { $0 != "total" && !Self.waiting.contains($0) }
            expect("system calls that do not wait", work, atMost: Self.workAtMost, counts)
            expect("system calls", counts.perToggle { $0 == "total" }, atMost: Self.callsAtMost, counts)
            let flushes = counts.perToggle(Self.flushing.contains)
            expect("flushes", flushes, atMost: Self.flushesAtMost, counts)
        }

        private func expect(_ what: String, _ figure: Double, atMost bound: Double, _ counts: Counts) {
            let rounded = String(format: "%.4f", figure)
            let measured = "controller under load, a toggle, \(what): \(rounded) (≤ \(bound))"
            print("measured: \(measured)")
            #expect(figure <= bound, "\(measured); of \(counts.toggles) toggles \(counts.frequent)")
        }

        @Test("the count shows the flushes of a controller that waits for the disk")
        func control() async throws {
            let counts = try await Self.count(durability: "power")
            #expect(counts.perToggle(Self.flushing.contains) > Self.flushesAtMost, "\(counts.frequent)")
        }

        /// Counts the controller's calls while a fleet is under load.
        private static func count(durability: String) async throws -> Counts {
            try await Lab.withFleet(devices: 2_000, ["--durability", durability]) { lab in
                let controller = try await lab.processID("controller")
                try await succeed(
                    lab, "/usr/bin/chrt", ["--all-tasks", "--idle", "--pid", "0", "\(controller)"])
                for name in ["controller", "node-1"] { try await confine(try await lab.processID(name), lab) }
                let toggles = Box<Int>()
                let arguments = ["-c", "-f", "-o", "calls", "-p", "\(controller)"]
                let traced = try await lab.run("/usr/bin/strace", arguments) { tracer in
                    defer { kill(tracer, SIGINT) }
                    try await lab.eventually("every thread is traced", within: .seconds(10)) {
                        try isTraced(controller, by: tracer)
                    }
                    toggles.value = try await load(lab)
                }
                return Counts(
                    calls: calls(in: try lab.read("calls")),
                    toggles: try #require(toggles.value, "\(traced.talk)"))
            }
        }

        /// The number of toggles that were applied, a thousand at a time.
        ///
        /// Whole seconds are counted, so there are more if the machine was stalled in the first ones: with
        /// few toggles, the calls that a fleet makes once would be counted.
        private static func load(_ lab: Lab) async throws -> Int {
            var applied = 0
            for _ in 1...loadsAtMost where applied < togglesAtLeast { applied += try await loadOnce(lab) }
            try #require(applied >= togglesAtLeast)
            return applied
        }

        /// The number of toggles that were applied in some seconds.
        private static func loadOnce(_ lab: Lab) async throws -> Int {
            let arguments = [
                "load", "--in-flight", "1000", "--warmup", "0s", "--duration", "3s", "--json", "-",
            ]
            let ended = try await lab.run("fleet", arguments) { try await confine($0, lab) }
            let outcomes = try ended.line(Result.self).outcomes
            try #require(ended.status == 0 && outcomes.count == 1, "\(outcomes) \(ended.talk)")
            return try #require(outcomes["applied"])
        }

        /// Restricts a process to the first available processor.
        private static func confine(_ process: Int32, _ lab: Lab) async throws {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let allowed = try #require(status.firstRange(of: "Cpus_allowed_list:\t")).upperBound
            let first = String(status[allowed...].prefix(while: \.isNumber))
            try await succeed(
                lab, "/usr/bin/taskset", ["--all-tasks", "--cpu-list", "--pid", first, "\(process)"])
        }

        private static func succeed(_ lab: Lab, _ program: String, _ arguments: [String]) async throws {
            let ended = try await lab.run(program, arguments)
            try #require(ended.status == 0, "\(program): \(ended.talk)")
        }

        /// Whether each thread of a process is traced by another process.
        private static func isTraced(_ process: Int32, by tracer: Int32) throws -> Bool {
            let tasks = "/proc/\(process)/task"
            return try FileManager.default.contentsOfDirectory(atPath: tasks).allSatisfy { task in
                let status = try String(contentsOfFile: "\(tasks)/\(task)/status", encoding: .utf8)
                return status.contains("TracerPid:\t\(tracer)\n")
            }
        }

        /// The calls of each name in strace's summary: share, seconds, microseconds per call, calls,
        /// sometimes errors, and the name.
        private static func calls(in table: String) -> [String: Int] {
            let rows = table.split(separator: "\n").map { $0.split(separator: " ") }
            let pairs = rows.compactMap { row in
                row.count >= 5 ? Int(row[3]).map { (String(row[row.count - 1]), $0) } : nil
            }
            return Dictionary(pairs) { $0 + $1 }
        }
    }
}
