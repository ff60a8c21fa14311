import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("Stopped processes")
    struct FrozenFleetTests {
        /// A line of `fleet doctor --json`.
        private struct Finding: Decodable {
            let level: String
            let subject: String
            let text: String
            let advice: String?
        }

        private static func problems(in lab: Lab) async throws -> [Finding] {
            try await lab.fleet("doctor", "--json").lines(Finding.self).filter { $0.level == "problem" }
        }

        /// Stops a process with SIGSTOP, does something, and lets the process continue.
        private static func stopping(_ processID: Int32, _ body: () async throws -> Void) async throws {
            kill(processID, SIGSTOP)
            defer { kill(processID, SIGCONT) }
            try await body()
        }

        @Test(
            "a command names a stopped controller while it waits and at its end, and how to restart it",
            .timeLimit(.minutes(2)), arguments: [["toggle", "Bedroom 1"], ["devices"], ["status"]])
        func controller(arguments: [String]) async throws {
            try await Lab.withFleet(devices: 4) { lab in
                let processID = try await lab.processID("controller")
                kill(processID, SIGSTOP)
                let ended = try await lab.fleet(arguments)
                #expect(ended.status == 69)
                let lines = ended.talk.split(separator: "\n").map(String.init)
                #expect(lines.first == "fleet: waiting for the controller (pid \(processID))")
                #expect(lines.contains("fleet: the controller (pid \(processID)) does not answer"))
                #expect(lines.last?.contains("`fleet restart controller`") == true)
                #expect(!ended.talk.contains("fleet up"))
                let restarted = try await lab.fleet("restart", "controller")
                #expect(restarted.status == 0, "\(restarted.talk)")
                #expect(try await lab.fleet("toggle", "Bedroom 1", "--timeout", "20s").status == 0)
            }
        }

        @Test("the doctor names each stopped process, and how to continue it", .timeLimit(.minutes(2)))
        func doctor() async throws {
            try await Lab.withFleet(devices: 4, gateway: true) { lab in
                #expect(try await Self.problems(in: lab).isEmpty)
                for name in ["controller", "node-1", "gateway"] {
                    let processID = try await lab.processID(name)
                    try await Self.stopping(processID) {
                        let found = try await Self.problems(in: lab).filter { $0.subject == name }
                        #expect(found.map(\.text) == ["process \(processID) is stopped (SIGSTOP)"])
                        #expect(
                            found.first?.advice == "kill -CONT \(processID), or fleet restart \(name)")
                    }
                }
            }
        }

        @Test("status, restart and doctor name a stopped supervisor", .timeLimit(.minutes(1)))
        func supervisor() async throws {
            try await Lab.withFleet(devices: 4) { lab in
                let lock = try String(contentsOfFile: lab.file("supervisor.lock"), encoding: .utf8)
                let processID = try #require(Int32(lock.trimmingCharacters(in: .whitespacesAndNewlines)))
                try await Self.stopping(processID) {
                    let text = "the supervisor (pid \(processID)) does not answer"
                    #expect(try await lab.fleet("status").output.contains(text))
                    let restarted = try await lab.fleet("restart", "node-1")
                    #expect(restarted.status == 69)
                    #expect(restarted.talk.contains(text))
                    let found = try await Self.problems(in: lab).filter { $0.subject == "supervisor" }
                    #expect(found.map(\.text) == ["process \(processID) is stopped (SIGSTOP)"])
                }
            }
        }
    }
}
