import Bus
import FleetProtocol
import Foundation
import Glibc
import ProcessSupport
import RawPeers
import TestSupport
import Testing

extension EndToEnd {
    /// If the environment sets a length of sieges, 5,000 connections use a quarter of it at each socket, and
    /// times are judged.
    @Suite("A fleet with 1,024 descriptors per process among silent peers", .timeLimit(.minutes(5)))
    struct SilentPeersTests {
        private static let siege = Duration.seconds(Lab.siegeSeconds.map { $0 / 4 } ?? 1)
        /// Silent connections to one socket.
        private static let count = Lab.siegeSeconds == nil ? 1_200 : 5_000
        private static let p99AtMost = Duration.milliseconds(250)
        private static let logInAtMost = Duration.seconds(2)

        @Test("a fleet among silent peers serves old and new clients without restarting a process")
        func silent() async throws {
            try await Lab.withLab { lab in
                try await lab.upWithFewDescriptors("--devices", "20")
                let before = try await lab.status()
                let devices = try await lab.devices()
                let place = try lab.place
                for socket in place.sockets { try await Self.besiege(socket, of: place, lab, devices) }
                let after = try await lab.status()
                #expect(after.epoch == before.epoch)
                #expect(after.processes.map(\.pid) == before.processes.map(\.pid))
                #expect(after.online == 20)
                #expect(try lab.logs().contains("crowd="))
            }
        }

        @Test("a controller with too few descriptors does not start, and prints how many it needs")
        func tooFew() async throws {
            try await Lab.withLab { lab in
                let ended = try await lab.run(
                    "/usr/bin/prlimit", ["--nofile=200:200", lab.executable("controller"), "serve"])
                #expect(ended.status == 1)
                #expect(ended.talk.contains("the limit on open files is 200, and 256 are needed"))
            }
        }

        /// Keeps silent connections to one socket open while an honest client toggles and new ones connect.
        private static func besiege(
            _ socket: FleetSocket, of place: FleetPlace, _ lab: Lab, _ devices: [DeviceLine]
        ) async throws {
            let endpoint = try place[socket].endpoint(socket)
            var logIns: [Duration] = []
            let (connections, account) = try await HonestClient.whileToggling(
                at: place, try lab.loot(devices)
            ) { shared in
                async let opened = SilentPeers.besiege(endpoint, count) { shared.isOver.value == true }
                _ = try await Pace.look(for: siege) {
                    // A separate program, with a new connection for each toggle.
                    let clock = ContinuousClock()
                    let start = clock.now
                    try await lab.succeed("devices", "--json")
                    logIns.append(clock.now - start)
                    return false
                }
                shared.isOver.value = true
                return try await opened
            }
            let slowest = logIns.max() ?? .zero
            print(
                "\(connections) silent connections to \(socket): \(account.applied) of \(account.asked) toggles applied, "
                    + "p99 \(account.p99); \(logIns.count) new clients, the slowest \(slowest)")
            #expect(connections >= count)
            #expect(account.surprises == [])
            #expect(account.applied == account.asked)
            if Lab.siegeSeconds != nil {
                #expect(account.p99 <= p99AtMost)
                #expect(slowest <= logInAtMost)
            }
        }
    }
}

/// Silent connections, each reopened when it is closed.
enum SilentPeers {
    /// Keeps that many connections open until it is ended, on a thread of its own; returns the number opened.
    static func besiege(
        _ endpoint: Endpoint, _ count: Int, until isOver: @escaping @Sendable () -> Bool
    ) async throws -> Int {
        try await Lab.onThread("silent peers") {
            ThreadPriority.giveWay()
            var connections: [RawConnection] = []
            var opened = 0
            while !isOver() || opened < count {
                for index in 0..<count where isOver() == false || opened < count {
                    if index == connections.count {
                        connections.append(try RawConnection(to: endpoint))
                    } else if connections[index].isHungUp {
                        connections[index] = try RawConnection(to: endpoint)
                    } else {
                        continue
                    }
                    opened += 1
                }
            }
            return opened
        }
    }
}
