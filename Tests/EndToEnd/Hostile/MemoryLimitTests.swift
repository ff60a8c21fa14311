import DeviceLogs
import FleetProtocol
import Foundation
import ProcessSupport
import RawPeers
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A controller with a memory limit", .timeLimit(.minutes(2)))
    struct MemoryLimitTests {
        @Test(
            "a controller exceeding its memory limit ends with a log entry, and executes no request twice",
            .enabled(if: !Sanitizer.isPresent))
        func ends() async throws {
            try await Lab.withFleet(devices: 8, ["--memory-limit", "64M"]) { lab in
                let fleet = TortureFleet(lab, .small(seed: 1))
                let place = try lab.place
                let history = try await fleet.whileToggling(4) { history in
                    let first = try await lab.processID("controller")
                    let flood = Task { try await Lab.onThread("guesses") { try Self.guess(place) } }
                    let end = await Pace.look(for: .seconds(40).slowed) { !TortureFleet.isAlive(first) }
                    #expect(end != nil, "the controller stays within 64 MiB, or ignores its limit")
                    _ = try await flood.value
                    let over = ContinuousClock.now
                    let recovery = await Pace.look(for: .seconds(15).slowed) {
                        history.firstSuccess(after: over) != nil
                    }
                    #expect(recovery != nil)
                    return history
                }
                #expect(try lab.logs().contains("MiB are in use, and the limit is 64 MiB"))
                try await lab.succeed("down")
                var devices = DeviceLog()
                try devices.read(fleet.memoryFile(of: "node-1"))
                var judge = Judge(history.all, devices)
                #expect(judge.violations().map(\.text) == [])
                #expect(history.acknowledged > 0)
            }
        }

        /// Logs in with wrong passwords, and waits for the end of the connection.
        ///
        /// Checking one uses 64 MiB.
        private static func guess(_ place: FleetPlace) throws {
            let logIns = try (0..<40).flatMap { number -> [HostilePeer.Frame] in
                let email = try #require(Email("stranger\(number)@example.org"))
                let password = try #require(Password("guess \(number)"))
                let request = ClientRequest(
                    correlation: 1, token: nil, body: .login(email: email, password: password))
                return [.init(content: [], hasMore: true), .init(content: request.wireBytes)]
            }
            let peer = try HostilePeer(to: .clients, of: place, as: "DEALER")
            _ = peer.send(peer.bytes(of: logIns))
            // The connection of a peer that answers no heartbeats ends after three seconds.
            try? peer.connection.awaitHangUp()
        }
    }
}
