import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Limits of the gateway")
    struct GatewayAccessTests {
        private static let clients = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Clients")

        /// Runs a script that starts its own gateway beside a fleet without one, and measures times.
        private func run(_ script: String, _ arguments: String..., in lab: Lab) async throws {
            let path = Self.clients.appending(path: script).path()
            let ended = try await attempt(until: { $0.status == 0 }) {
                try await lab.run(
                    "/usr/bin/python3", [path, lab.executable("gateway"), lab.file("")] + arguments)
            }
            #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
            for line in ended.output.split(separator: "\n") where line.hasPrefix("measured:") { print(line) }
        }

        @Test(
            "5,000 silent connections at a limit of 1,024 descriptors delay neither requests nor logins",
            .timeLimit(.minutes(2)))
        func silentConnections() async throws {
            try await Lab.withFleet(devices: 4) { lab in
                try await run("silent_connections.py", "5000", in: lab)
            }
        }

        @Test(
            "live streams that are left open do not block new ones, and a session has at most 16",
            .timeLimit(.minutes(2)))
        func liveStreams() async throws {
            try await Lab.withFleet(devices: 4) { lab in try await run("live_streams.py", in: lab) }
        }

        @Test(
            "wrong passwords from 50 sources and the user's own delay the user's login by at most 2 s",
            .timeLimit(.minutes(2)))
        func wrongPasswords() async throws {
            try await Lab.withFleet(devices: 4) { lab in
                try await run("wrong_passwords.py", "4", in: lab)
            }
        }

        @Test(
            "remote access uses TLS 1.2 or later, SIGHUP renews the certificate, and a key reads its metrics",
            .timeLimit(.minutes(2)))
        func elsewhere() async throws {
            try await Lab.withFleet(devices: 4, ["--allow-signup"]) { lab in
                let key = try await lab.fleet("apikey", "create", "metrics", "--scope", "read")
                try #require(key.status == 0, "\(key.talk)")
                try await run(
                    "elsewhere.py", key.output.trimmingCharacters(in: .whitespacesAndNewlines), in: lab)
            }
        }
    }
}
