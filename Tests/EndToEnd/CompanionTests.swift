import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// Fleets that end with the process that needs them.
    @Suite("Fleets of another process", .timeLimit(.minutes(1)))
    struct CompanionTests {
        @Test("a fleet ends when the process of --exit-with is killed")
        func exitWith() async throws {
            try await Lab.withLab { lab in
                _ = try await lab.run("/bin/sleep", ["60"]) { process in
                    defer { kill(process, SIGKILL) }
                    try await lab.up(devices: 2, ["--exit-with", "\(process)"])
                    let processes = try await lab.status().processes.compactMap(\.pid) + [lab.supervisorID()]
                    kill(process, SIGKILL)
                    try await lab.eventually("all processes have ended", within: .seconds(10)) {
                        processes.allSatisfy { kill($0, 0) != 0 }
                    }
                }
            }
        }

        @Test("a fleet is not started for a process that does not exist")
        func noProcess() async throws {
            let ended = try await Lab.withLab { lab in
                try await lab.expect(
                    1, "up", "--detach", "--exit-with", "4194305", saying: ["process 4194305"])
            }
            #expect(ended.output.isEmpty)
        }

        @Test("a command after a fault, or after its end, sees the effect")
        func effects() async throws {
            try await Lab.withFleet(devices: 3) { lab in
                for _ in 0..<5 {
                    let isOn = try await lab.device("Bedroom 1").on
                    try await lab.succeed("inject", "flip", "Bedroom 1")
                    #expect(try await lab.device("Bedroom 1").on != isOn)
                    try await lab.succeed("inject", "offline", "Bedroom 1")
                    #expect(try await lab.device("Bedroom 1").presence != "online")
                    try await lab.succeed("heal")
                    #expect(try await lab.device("Bedroom 1").presence == "online")
                }
            }
        }
    }
}
