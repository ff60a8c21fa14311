import Glibc
import Testing

extension EndToEnd {
    @Suite("Stopped processes", .timeLimit(.minutes(2)))
    struct FrozenFleetTests {
        /// Stops a process with SIGSTOP, does something, and lets the process continue.
        private static func stopping(_ processID: Int32, _ body: () async throws -> Void) async throws {
            kill(processID, SIGSTOP)
            defer { kill(processID, SIGCONT) }
            try await body()
        }

        /// Expects the doctor to find that a process is stopped, and no other problem of that subject.
        private static func expectDiagnosis(
            of name: String, _ processID: Int32, in lab: Lab
        ) async throws -> FindingLine? {
            let found = try await problems(in: lab).filter { $0.subject == name }
            #expect(found.map(\.text) == ["process \(processID) is stopped (SIGSTOP)"], "\(name)")
            return found.first
        }

        private static func problems(in lab: Lab) async throws -> [FindingLine] {
            try await lab.fleet("doctor", "--json").lines(FindingLine.self).filter { $0.level == "problem" }
        }

        @Test("a command names a stopped controller while it waits and at its end, and how to restart it")
        func controller() async throws {
            try await Lab.withFleet(devices: 4) { lab in
                for arguments in [["toggle", "Bedroom 1"], ["devices"], ["status"]] {
                    let processID = try await lab.processID("controller")
                    kill(processID, SIGSTOP)
                    let ended = try await lab.expect(69, arguments)
                    let lines = ended.talk.split(separator: "\n").map(String.init)
                    let what = "fleet \(arguments): \(ended.talk)"
                    #expect(lines.first == "fleet: waiting for the controller (pid \(processID))", "\(what)")
                    let end = "fleet: the controller (pid \(processID)) does not answer"
                    #expect(lines.contains(end), "\(what)")
                    #expect(lines.last?.contains("`fleet restart controller`") == true, "\(what)")
                    #expect(!ended.talk.contains("fleet up"), "\(what)")
                    try await lab.succeed("restart", "controller")
                    try await lab.succeed("toggle", "Bedroom 1", "--timeout", "20s")
                }
            }
        }

        @Test("a change with a revoked key shows nothing of its account while the controller is stopped")
        func revokedKey() async throws {
            try await Lab.withFleet(devices: 1, gateway: true) { lab in
                let device = try await lab.device("Bedroom 1")
                let path = "api/v2/pods/\(device.id)/acStates/on?apiKey=\(try await lab.apiKey("former"))"
                let change = ["-X", "PATCH", "-d", #"{"newValue":true}"#]
                // The second change is one of a key that the gateway knows.
                for _ in 0..<2 { #expect(try await lab.curl(path, change).status == 200) }
                try await lab.succeed("apikey", "revoke", "former")
                try await Self.stopping(try await lab.processID("controller")) {
                    let ended = try await lab.curl(path, change)
                    #expect(ended.status == 504, "\(ended)")
                    #expect(!ended.body.contains("acState"), "\(ended)")
                }
                #expect(try await lab.curl(path, change).status == 403)
            }
        }

        @Test(
            "the doctor names each stopped process, and how to continue it; status and restart the supervisor"
        )
        func doctor() async throws {
            try await Lab.withFleet(devices: 4, gateway: true) { lab in
                #expect(try await Self.problems(in: lab).isEmpty)
                for name in ["controller", "node-1", "gateway"] {
                    let processID = try await lab.processID(name)
                    try await Self.stopping(processID) {
                        let found = try await Self.expectDiagnosis(of: name, processID, in: lab)
                        #expect(found?.advice == "kill -CONT \(processID), or `fleet restart \(name)`")
                    }
                }
                let supervisor = try lab.supervisorID()
                try await Self.stopping(supervisor) {
                    let text = "the supervisor (pid \(supervisor)) does not answer"
                    #expect(try await lab.fleet("status").output.contains(text))
                    try await lab.expect(69, "restart", "node-1", saying: [text])
                    _ = try await Self.expectDiagnosis(of: "supervisor", supervisor, in: lab)
                }
            }
        }
    }
}
