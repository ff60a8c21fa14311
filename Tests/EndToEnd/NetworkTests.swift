import Foundation
import Glibc
import ProcessSupport
import TestSupport
import Testing

extension EndToEnd {
    /// Programs that join a fleet over tcp, as on other machines: each has a run directory of its own.
    @Suite("A fleet on the network")
    struct NetworkTests {
        /// The objects that commands print.
        private struct Status: Decodable {
            struct Node: Decodable {
                let name: String
                let host: String
                let devices: Int
            }

            let online: Int?
            let offline: Int?
            let nodes: [Node]
        }

        private struct Device: Decodable {
            let id: String
        }

        private struct Toggled: Decodable {
            let outcome: String
        }

        private static func withFleet(
            _ options: [String] = [], _ body: (Lab, Int) async throws -> Void
        ) async throws {
            try await Lab.withLab { lab in
                let port = try Lab.freePort()
                let up = try await lab.fleet(
                    ["up", "--detach", "--no-gateway", "--listen", "tcp://127.0.0.1:\(port)"] + options)
                try #require(up.status == 0, "fleet up: \(up.talk)")
                try await body(lab, port)
            }
        }

        /// Joins with the command that the fleet prints; `place` is the run directory.
        private static func join(
            _ lab: Lab, as words: [String], in place: String, _ options: [String] = []
        ) async throws -> Lab.Ended {
            let invited = try await lab.fleet(["join-command"] + words)
            try #require(invited.status == 0, "join-command: \(invited.talk)")
            let command = invited.output.split(separator: " ").map { $0.trimmingCharacters(in: .newlines) }
            try #require(command.first == "fleet")
            return try await lab.fleet(
                command.dropFirst() + ["--run-dir", lab.file("../\(place)")] + options)
        }

        /// Waits for a condition on the status, for at most ten seconds.
        private static func awaitStatus(_ lab: Lab, _ isSo: (Status) -> Bool) async throws -> Duration {
            let start = ContinuousClock.now
            while true {
                let status = try await lab.fleet(["status", "--json"]).line(Status.self)
                if isSo(status) { return ContinuousClock.now - start }
                try #require(ContinuousClock.now - start < .seconds(10), "status: \(status)")
            }
        }

        @Test("a node and a client join by one command each, and a revoked node is gone within a second")
        func join() async throws {
            try await Self.withFleet(["--no-nodes"]) { lab, _ in
                let node = try await Self.join(
                    lab, as: ["node", "--devices", "30", "--name", "attic"], in: "node", ["--detach"])
                try #require(node.status == 0, "join: \(node.talk)")
                let pid = try #require(node.output.firstMatch(of: /pid (\d+)/).flatMap { Int32($0.1) })
                defer { kill(pid, SIGTERM) }
                // A node is listed once it has sent its counters.
                _ = try await Self.awaitStatus(lab) { $0.online == 30 && !$0.nodes.isEmpty }
                let status = try await lab.fleet(["status", "--json"]).line(Status.self)
                #expect(status.nodes.map(\.name) == ["attic"] && status.nodes.map(\.devices) == [30])
                #expect(status.nodes.allSatisfy { !$0.host.isEmpty })

                let joined = try await Self.join(lab, as: ["client"], in: "client")
                try #require(joined.status == 0, "join: \(joined.talk)")
                let there = ["--run-dir", lab.file("../client")]
                let login = try await lab.fleet(
                    ["login", "demo@sensibus.local", "--password-stdin"] + there,
                    input: String(contentsOfFile: lab.file("demo-password"), encoding: .utf8))
                try #require(login.status == 0, "login: \(login.talk)")
                let device = try #require(
                    try await lab.fleet(["devices", "--json"] + there).lines(Device.self).first)
                let toggled = try await lab.fleet(["toggle", device.id, "--json"] + there)
                #expect(try toggled.line(Toggled.self).outcome == "applied")

                let revoked = try await lab.fleet(["key", "revoke", "attic"])
                #expect(revoked.status == 0)
                let took = try await Self.awaitStatus(lab) { $0.online == 0 && $0.offline == 30 }
                print("measured: a revoked node is offline after \(took), bound 1 s")
                #expect(took < .seconds(1))

                // The node still tries; its key is replaced, and it hosts the same devices.
                let stopped = try await lab.fleet(["down", "--run-dir", lab.file("../node")])
                #expect(stopped.talk.contains("stopped attic"), "\(stopped.talk)")
                let again = try await Self.join(
                    lab, as: ["node", "--devices", "30", "--name", "attic"], in: "node", ["--detach"])
                try #require(again.status == 0 && again.talk.contains("replacing it"), "\(again.talk)")
                _ = try await Self.awaitStatus(lab) { $0.online == 30 }
                let nodes = try await lab.fleet(["status", "--run-dir", lab.file("../node")])
                #expect(nodes.output.contains("attic runs, pid"), "\(nodes.output)")
                #expect(try await lab.fleet(["toggle", device.id, "--json"] + there).status == 0)
                _ = try await lab.fleet(["down", "--run-dir", lab.file("../node")])
            }
        }

        @Test(
            "a revoked key, a key from a file, and commands for the fleet's machine have texts of their own")
        func texts() async throws {
            try await Self.withFleet(["--devices", "2"]) { lab, _ in
                let generated = try await lab.fleet([
                    "key", "generate", "client", "--name", "laptop", "--output", lab.file("../laptop.json"),
                ])
                try #require(generated.status == 0, "\(generated.talk)")
                let there = ["--run-dir", lab.file("../laptop"), "--key-file", lab.file("../laptop.json")]
                let password = try String(contentsOfFile: lab.file("demo-password"), encoding: .utf8)
                let login = try await lab.fleet(
                    ["login", "demo@sensibus.local", "--password-stdin"] + there, input: password)
                try #require(login.status == 0, "login: \(login.talk)")
                #expect(try await lab.fleet(["key", "revoke", "laptop"]).status == 0)
                let revoked = try await lab.fleet(["toggle", "all"] + there)
                #expect(revoked.talk.contains("does not admit the key of this machine"), "\(revoked.talk)")
                #expect(revoked.talk.contains("fleet doctor"), "\(revoked.talk)")

                let joined = try await Self.join(lab, as: ["observer"], in: "wall")
                try #require(joined.status == 0, "join: \(joined.talk)")
                let keys = try await lab.fleet(["key", "list", "--run-dir", lab.file("../wall")])
                #expect(keys.status == 1 && keys.talk.contains("machine of that fleet"), "\(keys.talk)")

                try #require(try await lab.fleet("down").status == 0)
                let up = try await lab.fleet("up", "--detach", "--no-gateway", "--devices", "2")
                #expect(up.talk.contains("does not listen"), "\(up.talk)")
                #expect(try await lab.fleet("doctor").output.contains("does not listen"))
            }
        }

        @Test("a used token, another key of the fleet, and a second membership are refused")
        func refusals() async throws {
            try await Self.withFleet { lab, port in
                let command = try await lab.fleet(["join-command", "observer"]).output
                let words = command.split(separator: " ").map { $0.trimmingCharacters(in: .newlines) }
                func run(_ words: [String], in place: String) async throws -> Lab.Ended {
                    try await lab.fleet(words.dropFirst() + ["--run-dir", lab.file("../\(place)")])
                }
                let first = try await run(words, in: "one")
                #expect(first.status == 0, "\(first.talk)")
                let again = try await run(words, in: "two")
                #expect(again.status == 77 && again.talk.contains("token"), "\(again.talk)")
                let second = try await run(words, in: "one")
                #expect(second.status == 1 && second.talk.contains("already"), "\(second.talk)")
                let other = [String](words.prefix(3)) + ["--server-key", String(repeating: "ab", count: 32)]
                let misled = try await run(other + words.suffix(2), in: "three")
                #expect(misled.status == 69, "\(misled.talk)")
                let own = try await lab.fleet(Array(words.dropFirst()))
                #expect(own.status == 1 && own.talk.contains("run directory of a fleet"), "\(own.talk)")
                let doctor = try await lab.fleet(["doctor", "--run-dir", lab.file("../one")])
                #expect(doctor.output.contains("admits this machine as observer"), "\(doctor.output)")
            }
        }

        @Test("a fleet that never had keys gets no directory for them from its start or from doctor")
        func noKeys() async throws {
            try await Lab.withFleet(devices: 2) { lab in
                _ = try await lab.fleet("doctor")
                #expect(!FileManager.default.fileExists(atPath: lab.file("network")))
            }
        }

        @Test("a printed key is usable as a mounted secret: behind a link, and readable for the group")
        func mountedKey() async throws {
            try await Self.withFleet { lab, _ in
                let key = try await lab.fleet(
                    "key", "generate", "client", "--name", "laptop", "--host", "127.0.0.1", "--output", "-")
                try #require(key.status == 0, "\(key.talk)")
                let (secret, link) = ("\(lab.directory)/secret", "\(lab.directory)/link")
                try Data(key.output.utf8).write(to: URL(filePath: secret))
                try #require(chmod(secret, 0o440) == 0 && symlink(secret, link) == 0)
                let there = ["--run-dir", lab.file("../laptop"), "--key-file", link]
                let login = try await lab.fleet(
                    ["login", "demo@sensibus.local", "--password-stdin"] + there,
                    input: String(contentsOfFile: lab.file("demo-password"), encoding: .utf8))
                #expect(login.status == 0, "\(login.talk)")
                #expect(try await lab.fleet(["devices", "--json"] + there).lines(Device.self).count == 100)
            }
        }

        @Test("an observer's key changes nothing")
        func observer() async throws {
            try await Self.withFleet { lab, _ in
                let joined = try await Self.join(lab, as: ["observer"], in: "wall")
                try #require(joined.status == 0, "join: \(joined.talk)")
                let there = ["--run-dir", lab.file("../wall")]
                _ = try await lab.fleet(
                    ["login", "demo@sensibus.local", "--password-stdin"] + there,
                    input: String(contentsOfFile: lab.file("demo-password"), encoding: .utf8))
                #expect(try await lab.fleet(["devices", "--json"] + there).lines(Device.self).count == 100)
                let toggle = try await lab.fleet(["toggle", "all"] + there)
                #expect(toggle.status == 77, "\(toggle.talk)")
                let load = try await lab.fleet(["load", "--rate", "10"] + there)
                #expect(load.status == 77, "\(load.talk)")
                #expect(load.talk.contains("join as a client") && !load.talk.contains("warm"), "\(load.talk)")
            }
        }
    }
}
