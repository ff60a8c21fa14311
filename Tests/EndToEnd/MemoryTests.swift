import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// The memory of devices, and the result without one.
    @Suite("The memory of devices", .timeLimit(.minutes(1)))
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
            try await lab.killNode("node-1")
            try await lab.succeed("restart", "node-1")
            try await lab.eventually("all are online again", within: .seconds(5)) {
                let status = try await lab.status()
                return status.online == status.devices
            }
        }

        @Test(
            "a device's state and last answer survive a kill of its node, and its successor ends a toggle in flight"
        )
        func killed() async throws {
            try await Lab.withFleet { lab in
                let id = "01900000-0000-7000-8000-00000000000c"
                let toggle = ["toggle", "Bedroom 1", "--request-id", id, "--json"]
                let first = try await lab.succeed(toggle)
                _ = try await lab.toggle("Bedroom 2")
                try await lab.succeed("inject", "flip", "Kitchen 1", "Office 1")
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

                let device = try await lab.device("Bedroom 1")
                // Ends with the process.
                try await lab.succeed("inject", "hang", "Bedroom 1", "--for", "10m")
                let inFlight = try await lab.toggle("Bedroom 1", id: Lab.requestID(), timeout: "25s") { _ in
                    try await Self.killAndRestart(lab)
                }
                #expect(try inFlight.line(ToggleLine.self).outcome == "applied", "\(inFlight.talk)")
                let after = try await lab.device("Bedroom 1")
                #expect(after.incarnation == device.incarnation && after.version == device.version + 1)
            }
        }

        @Test(
            "a device's state survives a restart of the fleet, and ends with a reset; damaged memory is refused"
        )
        func upAgain() async throws {
            try await Lab.withFleet { lab in
                try await lab.succeed("toggle", "Bedroom 1")
                let old = try await lab.device("Bedroom 1").incarnation
                try await lab.succeed("inject", "reset", "Bedroom 1")
                try await lab.eventually("Bedroom 1 has a new incarnation", within: .seconds(5)) {
                    let device = try await lab.device("Bedroom 1")
                    return device.incarnation != old && device.version == 1
                }
                try await lab.succeed("toggle", "Bedroom 2")
                let before = try await Self.stored(lab)
                try await lab.succeed("down")
                try await lab.up(devices: 30)
                let after = try await Self.stored(lab)
                #expect(after.count == 30)
                #expect(after.filter { before[$0.key] != nil } == before)

                try await lab.succeed("down")
                let file = URL(filePath: lab.file("memory/node-1.entries"))
                var bytes = try Data(contentsOf: file)
                bytes[100] ^= 4
                try bytes.write(to: file)
                let ended = try await lab.run("device-sim", ["run", "--devices", "30"])
                #expect(ended.status == 1 && ended.talk.contains("it is damaged at byte 32"), "\(ended.talk)")
                #expect(try Data(contentsOf: file) == bytes, "it is not changed")
            }
        }

        @Test(
            "a second process of a node is refused, without the lock too, or ends the first if it takes the memory"
        )
        func twoProcesses() async throws {
            try await Lab.withFleet { lab in
                let run = ["run", "--devices", "20"]
                let file = URL(filePath: lab.file("memory/node-1.entries"))
                let before = try Data(contentsOf: file)
                let locked = try await lab.run("device-sim", run)
                #expect(locked.status == 1)
                #expect(locked.talk.contains("node-1.lock is held by process"), "\(locked.talk)")
                #expect(try Data(contentsOf: file) == before)

                try FileManager.default.removeItem(atPath: lab.file("node-1.lock"))
                try await lab.whileRunning("device-sim", run + ["--durability", "none"], log: "second.log") {
                    log in
                    try await lab.eventually("the second process is refused", within: .seconds(5)) {
                        log().contains("the controller refuses this process")
                    }
                    let status = try await lab.fleet("status", "--json").output
                    #expect(status.contains(#""conflicts":[{"node":"node-1","serving":{"host":""#))
                    #expect(try await lab.fleet("doctor").output.contains("two processes run"))
                    #expect(try lab.logs().contains("two processes run as node-1"))
                    try await lab.succeed("toggle", "Bedroom 1")
                }
                try await lab.whileRunning("device-sim", run, log: "third.log") { _ in
                    try await lab.eventually("the first process has ended", within: .seconds(5)) {
                        try lab.logs().contains("has taken the memory of this node")
                    }
                    try await lab.awaitOnline(20, within: .seconds(5))
                    try await lab.succeed("toggle", "Bedroom 1")
                    #expect(try await lab.device("Bedroom 1").version == 3)
                }
            }
        }

        @Test("memory is retained according to --durability")
        func durability() async throws {
            try await Lab.withFleet { lab in
                for (index, durability) in ["none", "process", "power"].enumerated() {
                    let (node, device) = ("node-\(durability)", "Bedroom \(51 + index)")
                    func live(_ body: @escaping @Sendable () async throws -> Void) async throws {
                        let arguments = [
                            "run", "--name", node, "--devices", "1", "--first-index", "\(500 + 10 * index)",
                            "--durability", durability,
                        ]
                        let ended = try await lab.run("device-sim", arguments) { processID in
                            try await lab.awaitOnline(21, within: .seconds(5))
                            try await body()
                            kill(processID, SIGKILL)
                        }
                        #expect(ended.status == 128 + SIGKILL, "\(durability): \(ended.talk)")
                        try await lab.awaitOnline(20, within: .seconds(5))
                    }
                    let first = Box<DeviceLine>()
                    try await live {
                        try await lab.succeed("toggle", device)
                        first.value = try await lab.device(device)
                    }
                    let file = lab.file("memory/\(node).entries")
                    let isRetained = durability != "none"
                    #expect(FileManager.default.fileExists(atPath: file) == isRetained, "\(durability)")
                    try await live {
                        let second = try await lab.device(device)
                        let isSame = first.value?.incarnation == second.incarnation
                        #expect(isSame == isRetained, "\(durability)")
                        #expect(second.version == (isRetained ? 2 : 1), "\(durability)")
                    }
                }
            }
        }
    }
}
