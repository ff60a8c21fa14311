import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Limits of the gateway")
    struct GatewayAccessTests {
        @Test(
            "5,000 silent connections at a limit of 1,024 descriptors delay neither requests nor logins",
            .timeLimit(.minutes(2)))
        func silentConnections() async throws {
            try await Lab.withFleet(devices: 4) { lab in
                try await lab.runBesideGateway("silent_connections.py", "5000")
            }
        }

        @Test(
            "live streams that are left open do not block new ones, and a session has at most 16",
            .timeLimit(.minutes(2)))
        func liveStreams() async throws {
            try await Lab.withFleet(devices: 4) { lab in try await lab.runBesideGateway("live_streams.py") }
        }

        @Test(
            "wrong passwords from 50 sources and the user's own delay the user's login by at most 2 s",
            .timeLimit(.minutes(2)))
        func wrongPasswords() async throws {
            try await Lab.withFleet(devices: 4) { lab in
                try await lab.runBesideGateway("wrong_passwords.py", "4")
            }
        }
    }
}

extension Lab {
    /// Runs a script that starts its own gateway beside a fleet without one, and measures times.
    func runBesideGateway(_ script: String, _ arguments: String...) async throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Clients/\(script)")
            .path()
        let ended = try await attempt(until: { $0.status == 0 }) {
            try await run("/usr/bin/python3", [path, executable("gateway"), file("")] + arguments)
        }
        #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
        for line in ended.output.split(separator: "\n") where line.hasPrefix("measured:") { print(line) }
    }
}
