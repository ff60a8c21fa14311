import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// The memory of devices, and the result without one.
    @Suite("The memory of devices")
    struct MemoryTests {
        /// The state that a device must have retained.
        private struct Stored: Equatable {
            let on: Bool
            let version: Int
            let incarnation: String
        }

        private static func stored(_ lab: Lab) async throws -> [String: Stored] {
            let devices = try await lab.devices()
            return Dictionary(
                uniqueKeysWithValues: devices.map {
                    ($0.id, Stored(on: $0.on, version: $0.version, incarnation: $0.incarnation))
                })
        }

        /// Kills the first node, and waits for the hello of its successor.
        private static func killAndRestart(_ lab: Lab) async throws {
            kill(try await lab.processID("node-1"), SIGKILL)
            try await lab.eventually("node-1 has ended", within: .seconds(5)) {
                try await lab.status().processes.first { $0.name == "node-1" }?.state == "dead"
            }
            let restart = try await lab.fleet("restart", "node-1")
            #expect(restart.status == 0, "\(restart.talk)")
            try await lab.eventually("all are online again", within: .seconds(5)) {
                let status = try await lab.status()
                return status.online == status.devices
            }
        }

        @Test(
            "a device's state and its last answer survive a kill of its node",
            .timeLimit(.minutes(1)))
        func killed() async throws {
            try await Lab.withFleet { lab in
                let id = "01900000-0000-7000-8000-00000000000c"
                let toggle = ["toggle", "Bedroom 1", "--request-id", id, "--json"]
                let first = try await lab.fleet(toggle)
                #expect(first.status == 0)
                _ = try await lab.fleet("toggle", "Bedroom 2")
                _ = try await lab.fleet("inject", "flip", "Kitchen 1", "Office 1")
                // A flip is answered when it is ordered, and visible when its device has reported it.
                try await lab.eventually("all four devices have changed", within: .seconds(5)) {
                    try await Self.stored(lab).values.filter { $0.version == 2 }.count == 4
                }
                let before = try await Self.stored(lab)
                try await Self.killAndRestart(lab)
                #expect(try await Self.stored(lab) == before)
                #expect(try await lab.fleet(toggle).output == first.output)
                #expect(try await Self.stored(lab) == before)
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: lab.file("memory/node-1.entries"))
                #expect(attributes[.posixPermissions] as? Int == 0o600)
            }
        }

        @Test(
            "a toggle in flight to a killed node is applied by the node's successor",
            .timeLimit(.minutes(1)))
        func inFlight() async throws {
            try await Lab.withFleet { lab in
                let id = "01900000-0000-7000-8000-00000000000d"
                let before = try await lab.device("Bedroom 1")
                // Ends with the process.
                #expect(try await lab.fleet("inject", "hang", "Bedroom 1", "--for", "10m").status == 0)
                let toggle = try await lab.run(
                    "fleet", ["toggle", "Bedroom 1", "--timeout", "25s", "--request-id", id, "--json"]
                ) { _ in
                    try await lab.eventually("the toggle is in flight", within: .seconds(5)) {
                        try await lab.fleet("outcome", id).status == 75
                    }
                    try await Self.killAndRestart(lab)
                }
                #expect(toggle.status == 0, "\(toggle.talk)")
                let line = try toggle.line(ToggleLine.self)
                #expect(line.outcome == "applied")
                let after = try await lab.device("Bedroom 1")
                #expect(after.incarnation == before.incarnation)
                #expect(after.version == before.version + 1)
            }
        }

        @Test(
            "a device's state survives a restart of the fleet, and ends with a reset", .timeLimit(.minutes(1))
        )
        func upAgain() async throws {
            try await Lab.withFleet { lab in
                #expect(try await lab.fleet("toggle", "Bedroom 1").status == 0)
                let old = try await lab.device("Bedroom 1").incarnation
                let reset = try await lab.fleet("inject", "reset", "Bedroom 1")
                #expect(reset.status == 0, "\(reset.talk)")
                try await lab.eventually("Bedroom 1 has a new incarnation", within: .seconds(5)) {
                    let device = try await lab.device("Bedroom 1")
                    return device.incarnation != old && device.version == 1
                }
                #expect(try await lab.fleet("toggle", "Bedroom 2").status == 0)
                let before = try await Self.stored(lab)
                #expect(try await lab.fleet("down").status == 0)
                let up = try await lab.fleet("up", "--detach", "--no-gateway", "--devices", "30")
                #expect(up.status == 0, "\(up.talk)")
                let after = try await Self.stored(lab)
                #expect(after.count == 30)
                #expect(after.filter { before[$0.key] != nil } == before)
            }
        }

        @Test("a memory file is locked by one process at a time", .timeLimit(.minutes(1)))
        func locked() async throws {
            try await Lab.withFleet { lab in
                let file = lab.file("memory/node-1.entries")
                let before = try Data(contentsOf: URL(filePath: file))
                let second = try await lab.run("device-sim", ["run", "--devices", "20"])
                #expect(second.status == 1)
                #expect(second.talk.contains("node-1.lock is held by process"))
                #expect(try Data(contentsOf: URL(filePath: file)) == before)
            }
        }

        @Test(
            "a second process that starts without the lock is refused, or ends the first if it takes the memory",
            .timeLimit(.minutes(1)))
        func twoProcesses() async throws {
            try await Lab.withFleet { lab in
                try FileManager.default.removeItem(atPath: lab.file("node-1.lock"))
                let run = ["run", "--devices", "20"]
                try await lab.whileRunning("device-sim", run + ["--durability", "none"], log: "second.log") {
                    log in
                    try await lab.eventually("the second process is refused", within: .seconds(5)) {
                        log().contains("the controller refuses this process")
                    }
                    let status = try await lab.fleet("status", "--json").output
                    #expect(status.contains(#""conflicts":[{"node":"node-1","serving":{"host":""#))
                    #expect(try await lab.fleet("doctor").output.contains("two processes run"))
                    #expect(try lab.logs().contains("two processes run as node-1"))
                    #expect(try await lab.fleet("toggle", "Bedroom 1").status == 0)
                }
                try await lab.whileRunning("device-sim", run, log: "third.log") { _ in
                    try await lab.eventually("the first process has ended", within: .seconds(5)) {
                        try lab.logs().contains("has taken the memory of this node")
                    }
                    try await lab.eventually("the third one has the devices", within: .seconds(5)) {
                        try await lab.status().online == 20
                    }
                    #expect(try await lab.fleet("toggle", "Bedroom 1").status == 0)
                    #expect(try await lab.device("Bedroom 1").version == 3)
                }
            }
        }

        @Test("a damaged memory file is refused and not changed", .timeLimit(.minutes(1)))
        func damaged() async throws {
            try await Lab.withFleet { lab in
                #expect(try await lab.fleet("toggle", "Bedroom 1").status == 0)
                #expect(try await lab.fleet("down").status == 0)
                let file = URL(filePath: lab.file("memory/node-1.entries"))
                var bytes = try Data(contentsOf: file)
                bytes[100] ^= 4
                try bytes.write(to: file)
                let ended = try await lab.run("device-sim", ["run", "--devices", "20"])
                #expect(ended.status == 1)
                #expect(ended.talk.contains("it is damaged at byte 32"))
                #expect(try Data(contentsOf: file) == bytes)
            }
        }

        @Test(
            "memory is retained according to --durability", .timeLimit(.minutes(1)),
            arguments: ["none", "process", "power"])
        func durability(_ durability: String) async throws {
            try await Lab.withFleet { lab in
                let device = "Bedroom 51"
                func live(_ body: @escaping @Sendable () async throws -> Void) async throws {
                    let arguments = [
                        "run", "--name", "second", "--devices", "1", "--first-index", "500", "--durability",
                        durability,
                    ]
                    let ended = try await lab.run("device-sim", arguments) { processID in
                        try await lab.eventually("the second node is online", within: .seconds(5)) {
                            try await lab.status().online == 21
                        }
                        try await body()
                        kill(processID, SIGKILL)
                    }
                    #expect(ended.status == 128 + SIGKILL, "\(ended.talk)")
                    try await lab.eventually("the second node is gone", within: .seconds(5)) {
                        try await lab.status().online == 20
                    }
                }
                let first = Box<DeviceLine>()
                try await live {
                    #expect(try await lab.fleet("toggle", device).status == 0)
                    first.value = try await lab.device(device)
                }
                let file = lab.file("memory/second.entries")
                #expect(FileManager.default.fileExists(atPath: file) == (durability != "none"))
                try await live {
                    let second = try await lab.device(device)
                    let isSame = first.value?.incarnation == second.incarnation
                    #expect(isSame == (durability != "none"))
                    #expect(second.version == (durability == "none" ? 1 : 2))
                }
            }
        }
    }
}
