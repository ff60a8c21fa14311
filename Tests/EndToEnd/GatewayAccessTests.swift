import TestSupport
import Testing

extension EndToEnd {
    @Suite("Limits of the gateway", .timeLimit(.minutes(2)))
    struct GatewayAccessTests {
        @Test(
            "a gateway serves honest clients beside greedy ones: silent connections, open streams, wrong passwords",
            arguments: [
                ["silent_connections.py", "5000"], ["live_streams.py"], ["wrong_passwords.py", "4"],
            ])
        func beside(greedy words: [String]) async throws {
            try await Lab.withFleet(devices: 4) { lab in
                try await lab.runBesideGateway(words[0], Array(words.dropFirst()))
            }
        }
    }
}

extension Lab {
    /// Runs a script that starts its own gateway beside a fleet without one, and measures times.
    func runBesideGateway(_ script: String, _ arguments: [String]) async throws {
        let words = [Self.path("Clients/\(script)"), executable("gateway"), runDirectory] + arguments
        let ended = try await attempt(until: { $0.status == 0 }) { try await run("/usr/bin/python3", words) }
        #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
        for line in ended.output.split(separator: "\n") where line.hasPrefix("measured:") { print(line) }
    }
}
