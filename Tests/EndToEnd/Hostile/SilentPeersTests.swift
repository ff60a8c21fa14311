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
    @Suite("A fleet with 1,024 descriptors per process among silent peers")
    struct SilentPeersTests {
        private static let siege = Duration.seconds(Lab.siegeSeconds.map { $0 / 4 } ?? 1)
        /// Silent connections to one socket.
        private static let count = Lab.siegeSeconds == nil ? 1_200 : 5_000
        private static let p99AtMost = Duration.milliseconds(250)
        private static let logInAtMost = Duration.seconds(2)

        @Test(
            "a fleet among silent peers serves old and new clients without restarting a process",
            .timeLimit(.minutes(5))
        )
        func silent() async throws {
            try await Lab.withLab { lab in
                let up = try await lab.run(
                    "/usr/bin/prlimit",
                    [
                        "--nofile=1024:1024", lab.executable("fleet"), "up", "--detach", "--no-gateway",
                        "--devices", "20",
                    ])
                try #require(up.status == 0, "fleet up: \(up.talk)")
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

        @Test(
            "a controller with too few descriptors does not start, and prints how many it needs",
            .timeLimit(.minutes(1)))
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
            let loot = try lab.loot(devices)
            let shared = HonestClient.Shared()
            let endpoint = try place[socket].endpoint(socket)
            async let honest = Lab.onThread("honest client") {
                try HonestClient.run(place, loot: loot, shared: shared)
            }
            async let opened = Lab.onThread("silent peers") {
                ThreadPriority.giveWay()
                return try SilentPeers(count).besiege(endpoint) { shared.isOver.value == true }
            }
            var logIns: [Duration] = []
            _ = try await Pace.look(for: siege) {
                // A separate program, with a new connection for each toggle.
                let clock = ContinuousClock()
                let start = clock.now
                let list = try await lab.fleet("devices", "--json")
                #expect(list.status == 0, "\(list.talk)")
                logIns.append(clock.now - start)
                return false
            }
            shared.isOver.value = true
            let (account, connections) = (try await honest, try await opened)
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
struct SilentPeers {
    private let count: Int

    init(_ count: Int) {
        self.count = count
    }

    /// Keeps the connections open until it is ended; returns the number opened.
    func besiege(_ endpoint: Endpoint, until isOver: () -> Bool) throws -> Int {
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
