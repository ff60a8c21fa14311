import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Waiting for a condition with the observer", .timeLimit(.minutes(1)))
    struct ConditionTests {
        @Test("the observer exits when its condition holds, at once or later, or at its timeout")
        func waits() async throws {
            try await Lab.withFleet { lab in
                let already = try await Self.wait(lab, "device \"Bedroom 1\" off", "20s")
                #expect(already.status == 0)
                let line = try already.lines(ObserverLine.self).last
                #expect(line?.kind == "notice" && line?.name == "Bedroom 1")
                let later = try await Self.wait(lab, "outcome applied and device \"Bedroom 1\"", "30s") {
                    // Until the observer shows one: it may still be joining when the first ends.
                    while try await lab.fleet("toggle", "Bedroom 1").status == 0, !Task.isCancelled {}
                }
                #expect(later.status == 0)
                let never = try await Self.wait(lab, "device \"Bedroom 2\" offline", "300ms")
                #expect(never.status == 75)
                #expect(never.talk.contains("condition not met within 300ms: device \"Bedroom 2\" offline"))
            }
        }

        @Test("`fleet wait` waits, the observer prints earlier outcomes, and `fleet devices --watch` changes")
        func fleetWaits() async throws {
            try await Lab.withFleet { lab in
                let already = try await lab.succeed("wait", "device \"Bedroom 1\" off")
                #expect(already.output == "Bedroom 1: condition met: device \"Bedroom 1\" off\n")
                try await lab.expect(75, "wait", "device \"Bedroom 2\" offline", "--timeout", "300ms")

                for _ in 0..<3 { _ = try await lab.toggle("Bedroom 1") }
                let ended = try await lab.run(
                    "observer",
                    ["--json", "--since", "10m", "--until", "power on and power off", "--timeout", "3s"])
                let lines = try ended.lines(ObserverLine.self)
                let notice = try #require(
                    lines.firstIndex { $0.kind == "notice" && $0.message?.contains("10m") == true })
                #expect(lines[notice...].count { $0.kind == "outcome" && $0.name == "Bedroom 1" } == 3)

                let output = try LiveOutput()
                let watched = try await lab.run(
                    "fleet", ["devices", "Bedroom 1", "--watch", "-o", "json", "--filter", "online"],
                    output: output.writing
                ) { processID in
                    var changes: [String] = []
                    for await line in output.lines {
                        changes.append(line.split(separator: "\"").suffix(2).first.map(String.init) ?? "")
                        switch changes.last {
                        case "listed": _ = try await lab.toggle("Bedroom 1")
                        case "changed":
                            try await lab.succeed("inject", "offline", "Bedroom 1", "--for", "60s")
                        default: kill(processID, SIGINT)
                        }
                    }
                    #expect(changes == ["listed", "changed", "removed"])
                }
                #expect(watched.status == 0, "\(watched.talk)")
            }
        }

        @Test("an invalid condition is reported with its column")
        func mistaken() async throws {
            try await Lab.withLab { lab in
                let ended = try await lab.run("observer", ["--until", "device A onn"])
                #expect(ended.status == 64)
                #expect(ended.talk.contains("column 10") && ended.talk.contains("on, off, online"))
                let pointless = try await lab.run("observer", ["--timeout", "1s"])
                #expect(pointless.status == 64 && pointless.talk.contains("--until"))
            }
        }

        /// Waits with an observer while an action is repeated.
        private static func wait(
            _ lab: Lab, _ condition: String, _ timeout: String,
            _ body: @escaping @Sendable () async throws -> Void = {}
        ) async throws -> Lab.Ended {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await body() }
                let ended = try await lab.run(
                    "observer", ["--json", "--until", condition, "--timeout", timeout])
                group.cancelAll()
                do {
                    try await group.waitForAll()
                } catch is CancellationError {
                    // The action is not needed any more.
                }
                return ended
            }
        }
    }
}
