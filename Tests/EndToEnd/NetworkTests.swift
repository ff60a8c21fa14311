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

        /// Starts a fleet that listens on the network.
        private static func withFleet(_ options: [String], _ body: (Lab) async throws -> Void) async throws {
            try await Lab.withLab { lab in
                let listen = ["--listen", "tcp://127.0.0.1:\(try Lab.freePort())"]
                try await lab.succeed(["up", "--detach", "--no-gateway"] + listen + options)
                try await body(lab)
            }
        }

        /// Logs in as the user of a fleet, in the run directory of another machine.
        private static func logIn(_ lab: Lab, at there: Lab, _ options: String...) async throws {
            try await there.succeed(
                ["login", Lab.demo, "--password-stdin"] + options, input: try lab.text("demo-password"))
        }

        /// Waits for a condition on the status, for at most ten seconds.
        private static func awaitStatus(_ lab: Lab, _ isSo: (Status) -> Bool) async throws -> Duration {
            let start = ContinuousClock.now
            while true {
                let status = try await lab.fleet("status", "--json").line(Status.self)
                if isSo(status) { return ContinuousClock.now - start }
                try #require(ContinuousClock.now - start < .seconds(10), "status: \(status)")
            }
        }

        @Test("a node and a client join by one command each, and a revoked node is gone within a second")
        func join() async throws {
            try await Self.withFleet(["--no-nodes"]) { lab in
                let (node, client) = (lab.at("node"), lab.at("client"))
                let role = ["node", "--devices", "30", "--name", "attic"]
                let joined = try await node.join(lab, as: role, ["--detach"])
                let pid = try #require(joined.output.firstMatch(of: /pid (\d+)/).flatMap { Int32($0.1) })
                defer { kill(pid, SIGTERM) }
                // A node is listed once it has sent its counters.
                _ = try await Self.awaitStatus(lab) { $0.online == 30 && !$0.nodes.isEmpty }
                let status = try await lab.fleet("status", "--json").line(Status.self)
                #expect(status.nodes.map(\.name) == ["attic"] && status.nodes.map(\.devices) == [30])
                #expect(status.nodes.allSatisfy { !$0.host.isEmpty })

                try await client.join(lab, as: ["client"])
                try await Self.logIn(lab, at: client)
                let device = try #require(try await client.devices().first)
                #expect(try await client.toggle(device.id).outcome == "applied")

                try await lab.succeed("key", "revoke", "attic")
                let took = try await Self.awaitStatus(lab) { $0.online == 0 && $0.offline == 30 }
                print("measured: a revoked node is offline after \(took), bound 1 s")
                #expect(took < .seconds(1))

                // The node still tries; its key is replaced, and it hosts the same devices.
                try await node.expect(0, "down", saying: ["stopped attic"])
                let again = try await node.join(lab, as: role, ["--detach"])
                #expect(again.talk.contains("replacing it"), "\(again.talk)")
                _ = try await Self.awaitStatus(lab) { $0.online == 30 }
                #expect(try await node.fleet("status").output.contains("attic runs, pid"))
                try await client.succeed("toggle", device.id, "--json")
                _ = try await node.fleet("down")
            }
        }

        @Test(
            "a revoked key, a key from a file, and commands for the fleet's machine have texts of their own")
        func texts() async throws {
            try await Self.withFleet(["--devices", "2"]) { lab in
                let laptop = lab.at("laptop")
                try await lab.succeed(
                    "key", "generate", "client", "--name", "laptop", "--output", "laptop.json")
                try await Self.logIn(lab, at: laptop, "--key-file", "laptop.json")
                try await lab.succeed("key", "revoke", "laptop")
                let revoked = try await laptop.fleet("toggle", "all", "--key-file", "laptop.json")
                #expect(revoked.talk.contains("does not admit the key of this machine"), "\(revoked.talk)")
                #expect(revoked.talk.contains("fleet doctor"), "\(revoked.talk)")

                try await lab.at("wall").join(lab, as: ["observer"])
                try await lab.at("wall").expect(1, "key", "list", saying: ["machine of that fleet"])

                try await lab.succeed("down")
                let up = try await lab.up(devices: 2)
                #expect(up.talk.contains("does not listen"), "\(up.talk)")
                #expect(try await lab.fleet("doctor").output.contains("does not listen"))
            }
        }

        @Test("a used token, another key and a second membership are refused; a key can be a mounted secret")
        func keys() async throws {
            try await Self.withFleet(["--devices", "20"]) { lab in
                let words = try await lab.invitation(["observer"])
                try await lab.at("wall").succeed(words)
                try await lab.at("two").expect(77, words, saying: ["token"])
                try await lab.at("wall").expect(1, words, saying: ["already"])
                let other = [String](words.prefix(2)) + ["--server-key", String(repeating: "ab", count: 32)]
                try await lab.at("three").expect(69, other + words.suffix(2))
                try await lab.expect(1, words, saying: ["run directory of a fleet"])
                let doctor = try await lab.at("wall").fleet("doctor")
                #expect(doctor.output.contains("admits this machine as observer"), "\(doctor.output)")

                // An observer's key changes nothing.
                let wall = lab.at("wall")
                try await Self.logIn(lab, at: wall)
                #expect(try await wall.devices().count == 20)
                try await wall.expect(77, "toggle", "all")
                let load = try await wall.expect(77, "load", "--rate", "10", saying: ["join as a client"])
                #expect(!load.talk.contains("warm"), "\(load.talk)")

                // Behind a link, and readable for the group.
                let key = try await lab.succeed(
                    "key", "generate", "client", "--name", "laptop", "--host", "127.0.0.1", "--output", "-")
                let (secret, link) = (try lab.write(key.output, to: "secret"), "\(lab.directory)/link")
                try #require(chmod(secret, 0o440) == 0 && symlink(secret, link) == 0)
                let laptop = lab.at("laptop")
                try await Self.logIn(lab, at: laptop, "--key-file", link)
                let devices = try await laptop.fleet("devices", "--json", "--key-file", link)
                #expect(try devices.lines(DeviceLine.self).count == 20)
            }
        }
    }
}
