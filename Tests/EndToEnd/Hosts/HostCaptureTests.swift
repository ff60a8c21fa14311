import Bus
import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing

extension EndToEnd.HostTests {
    /// What a stranger on the network can read.
    @Suite(
        "Packets of a fleet on the network", .enabled(if: EndToEnd.HostTests.isFull), .timeLimit(.minutes(3)))
    struct HostCaptureTests {
        private static let annsPassword = "secret of Ann"

        @Test("a capture of a whole session shows no secret, name or state")
        func session() async throws {
            try await HostLab.withHosts(["server", "node", "clients"], isDisturbable: false) { hosts in
                let (server, clients) = (try hosts["server"], try hosts.own)
                let (capture, searched) = try await Capture.of(clients.lab, at: "switch") {
                    try await Self.useFleet(server, try hosts["node"], clients)
                }
                #expect(searched.count > 20)
                for (what, needle) in searched {
                    #expect(needle.count >= 6, "\(what) is too short to be searched for")
                    #expect(!capture.contains(needle), "\(what) is readable")
                }
                let pieces = capture.pieces()
                print(
                    "measured: \(searched.count) secrets and names in none of \(capture.bytes.count) bytes: \(pieces)"
                )
                #expect(pieces["plain"] == nil)
                #expect(pieces["handshake", default: 0] > 20 && pieces["encrypted", default: 0] > 100)
            }
        }

        @Test("the same search finds what a peer without encryption sends")
        func control() async throws {
            try await HostLab.withHosts(["server", "clients"], isDisturbable: false) { hosts in
                let (server, clients) = (try hosts["server"], try hosts.own)
                let (capture, _) = try await Capture.of(clients.lab, at: "switch") {
                    _ = try await server.lab.run(
                        "/usr/bin/python3", [HostLab.script("echo.py"), "tcp://0.0.0.0:7600"]
                    ) { process in
                        defer { kill(process, SIGKILL) }
                        let probe = try EchoProbe(to: .init("tcp://server:7600"))
                        defer { probe.end() }
                        try #require(try probe.reply(within: .seconds(10).slowed) != nil)
                    }
                }
                #expect(capture.contains(Array("DEALER".utf8)))
                #expect(capture.pieces()["plain", default: 0] > 0)
            }
        }

        /// Starts a fleet, and uses it from another host.
        ///
        /// - Returns: Secrets and names, each with a description.
        private static func useFleet(
            _ server: Host, _ node: Host, _ clients: Host
        ) async throws -> [String: [UInt8]] {
            let address = "tcp://\(server.address):7600"
            try await server.lab.succeed(
                "up", "--detach", "--no-gateway", "--no-nodes", "--listen", "tcp://0.0.0.0:7600")
            try await node.lab.join(server.lab, as: ["node", "--devices", "20"], at: address, ["--detach"])
            try await clients.lab.join(server.lab, as: ["client"], at: address)
            try await server.lab.awaitOnline(20)
            let password = try server.lab.word("demo-password")
            try await clients.lab.expect(
                77, "login", BesiegedHosts.demo, "--password-stdin", input: "a wrong password\n")
            try await clients.lab.logIn(BesiegedHosts.demo, password: password)
            let devices = try await clients.lab.devices()
            try #require(devices.count == 20)
            try await clients.lab.succeed("toggle", "all", "--json")
            try await clients.lab.succeed(
                "set", devices[0].name, "--on", "--mode", "cool", "--temperature", "21")
            try await clients.lab.succeed(
                "user", "add", "ann@example.com", "--role", "member", "--password-stdin",
                input: annsPassword + "\n")
            let key = try await clients.lab.succeed("apikey", "create", "script")
            let observed = try await clients.lab.run(
                "/usr/bin/timeout", ["4", clients.lab.executable("observer"), "--json"]
            ) { _ in
                await Pace.wait(.seconds(2))
                try await clients.lab.succeed("toggle", devices[0].name)
            }
            try #require(observed.output.contains(devices[0].name), "observer: \(observed.talk)")

            var needles: [String: [UInt8]] = [
                "the password": Array(password.utf8), "a wrong password": Array("a wrong password".utf8),
                "Ann's password": Array(annsPassword.utf8), "Ann's address": Array("ann@example.com".utf8),
                "the user's address": Array(BesiegedHosts.demo.utf8),
                "an API key": Array(key.output.trimmingCharacters(in: .newlines).utf8),
            ]
            let session = try StoredSession.read(from: clients.lab.file("session.json"))
            needles["the session's token"] = session.token.bytes
            for host in [node, clients] {
                let directory = RunDirectory(path: host.lab.runDirectory)
                let membership = try #require(try FleetConnection(directory).membership)
                needles["\(host.name): secret key"] = membership.keys.secretKey
                needles["\(host.name): node's token"] = membership.rights.grant?.token.bytes
            }
            for device in devices {
                needles["name of \(device.id)"] = Array(device.name.utf8)
                needles["ID of \(device.name)"] = Array(device.id.utf8)
            }
            return needles
        }
    }
}
