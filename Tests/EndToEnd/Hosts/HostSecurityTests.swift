import Bus
import FleetProtocol
import Foundation
import Glibc
import ProcessSupport
import RawPeers
import TestSupport
import Testing

extension EndToEnd.HostTests {
    /// The figures of `docs/SECURITY-FIGURES.md`; the environment sets the length of each attack.
    @Suite("A fleet under attack over the network", .enabled(if: Lab.siegeSeconds != nil))
    struct HostSecurityTests {
        private static let siege = Duration.seconds(Lab.siegeSeconds ?? 1)
        private static let silent = 5_000
        private static let raw = 182_000
        private static let guesses = 10_000
        private static let guessers = 50
        private static let p99AtMost = Duration.milliseconds(250)
        private static let logInAtMost = Duration.seconds(2)
        private static let mostMiB = 512
        private static let goneWithin = Duration.seconds(1)

        @Test("silent connections to each socket", .timeLimit(.minutes(10)))
        func silentConnections() async throws {
            try await BesiegedHosts.with(calm: .seconds(1)) { fleet in
                for socket in fleet.place.sockets {
                    let endpoint = try fleet.place[socket].endpoint(socket)
                    let (connections, toggles, logIn) = try await fleet.use { isOver in
                        async let count = SilentPeers.besiege(endpoint, Self.silent) { isOver.value == true }
                        await Pace.wait(Self.siege)
                        isOver.value = true
                        return try await count
                    }
                    try SecurityFigure(
                        under: "\(Self.silent) silent connections to `\(socket)`, 1,024 descriptors",
                        bound: "p99 < 250 ms, log-in ≤ 2 s, same processes",
                        seen: "\(connections) connections; \(Self.text(toggles, logIn))",
                        isMet: connections >= Self.silent && Self.isServed(toggles, logIn)
                    ).report()
                }
            }
        }

        @Test("raw connections in quick succession", .timeLimit(.minutes(10)))
        func rawConnections() async throws {
            try await BesiegedHosts.with(calm: .seconds(1)) { fleet in
                let endpoints = try fleet.place.sockets.map { try fleet.place[$0].endpoint($0) }
                let start = ContinuousClock.now
                let (end, toggles, logIn) = try await fleet.use { _ in
                    let count = try await withThrowingTaskGroup(of: Int.self) { group in
                        for endpoint in endpoints {
                            group.addTask {
                                try await Lab.onThread("raw peers") {
                                    ThreadPriority.giveWay()
                                    return Self.knock(at: endpoint, Self.raw / endpoints.count + 1)
                                }
                            }
                        }
                        return try await group.reduce(0, +)
                    }
                    return (count: count, took: ContinuousClock.now - start)
                }
                try SecurityFigure(
                    under: "182,000 hostile raw connections, in 10 s if the machine can open as many",
                    bound: "p99 < 250 ms",
                    seen: "\(end.count) in \(SecurityFigure.text(end.took)); \(Self.text(toggles, logIn))",
                    isMet: end.count >= Self.raw && Self.isServed(toggles, logIn)
                ).report()
            }
        }

        @Test("wrong passwords for a user who logs in", .timeLimit(.minutes(10)))
        func wrongPasswords() async throws {
            try await BesiegedHosts.with(calm: .seconds(1)) { fleet in
                let start = ContinuousClock.now
                let place = fleet.place
                let (answers, toggles, logIn) = try await fleet.use { _ in
                    try await Lab.onThread("guessers") {
                        ThreadPriority.giveWay()
                        return try Guessers.run(
                            Self.guessers, guesses: Self.guesses, email: BesiegedHosts.demo, at: place)
                    }
                }
                let took = ContinuousClock.now - start
                let checked = answers["unauthenticated", default: 0]
                try SecurityFigure(
                    under: "10,000 wrong passwords for the user's own address, over 50 connections",
                    bound: "log-in ≤ 2 s; at most 1 guess a second is checked",
                    seen: "\(checked) checked in \(SecurityFigure.text(took)); \(Self.text(toggles, logIn))",
                    isMet: Double(checked) <= took / .seconds(1) + 3 && Self.isServed(toggles, logIn)
                ).report()
            }
        }

        @Test("a greedy peer with a key", .timeLimit(.minutes(30)), arguments: Greed.allCases)
        func greed(greed: Greed) async throws {
            try await BesiegedHosts.with(calm: Self.siege) { fleet in
                let report = try await fleet.besieged.siege(greed, Self.siege)
                let back = try await fleet.besieged.timeUntilMemoryIsBack()
                let backText = back.map { SecurityFigure.text($0) } ?? "more than a minute"
                try SecurityFigure(
                    under: "a peer: \(greed.text)",
                    bound: "< 512 MiB, within 20 % after a minute; p99 < 250 ms",
                    seen: "\(report.acceptedBytes >> 20) MiB accepted; \(report.mostMiB) MiB at most, "
                        + "back after \(backText); p99 \(SecurityFigure.text(report.honest.p99))",
                    isMet: report.mostMiB < Self.mostMiB && back != nil && report.acceptedBytes > 0
                        && Self.isServed(report.honest, .zero)
                ).report()
            }
        }

        @Test("a revoked key, and a removed user", .timeLimit(.minutes(5)))
        func revoked() async throws {
            try await BesiegedHosts.with(calm: .seconds(1)) { fleet in
                let (server, place) = (fleet.server.lab, fleet.place)
                try await server.addUser("ann@example.com", role: "member")
                try await fleet.clients.lab.logIn("ann@example.com")
                let ann = try StoredSession.read(from: fleet.clients.lab.file("session.json"))
                let ends: [(what: String, words: [String])] = [
                    ("a removed user", ["user", "remove", "ann@example.com"]),
                    ("a revoked key", ["key", "revoke", "clients"]),
                ]
                // The demo's user toggles on the controller's host, so that there are updates.
                let own = try await Besieged(server, at: server.place, calm: .zero)
                for (what, words) in ends {
                    let session =
                        what == "a removed user"
                        ? ann : try StoredSession.read(from: server.file("session.json"))
                    let last = try await own.withHonestClient { _ in
                        try await Self.lastUpdate(of: session, at: place) { try await server.fleet(words) }
                    }
                    try SecurityFigure(
                        under: what, bound: "nothing received after 1 s",
                        seen: "\(last.0.count) updates, the last \(SecurityFigure.text(last.0.last)) after "
                            + "the command began",
                        isMet: last.0.count > 0 && last.0.last <= Self.goneWithin
                    ).report()
                }
            }
        }

        /// Reads an account's updates before and for three seconds after a command.
        private static func lastUpdate(
            of session: StoredSession, at place: FleetPlace, _ command: () async throws -> Lab.Ended
        ) async throws -> (count: Int, last: Duration) {
            let isOver = Box<Bool>()
            async let arrivals = Lab.onThread("subscriber") {
                let peer = try StreamPeer(place)
                defer { peer.end() }
                let subscriber = try peer.subscriber(to: [Topic.streams, peer.ticket(session).ticket.bytes])
                var times: [ContinuousClock.Instant] = []
                while isOver.value != true {
                    let updates = try peer.received(by: subscriber, for: .milliseconds(1))
                    times += updates.map { _ in ContinuousClock.now }
                }
                return times
            }
            await Pace.wait(.seconds(2))
            let start = ContinuousClock.now
            let ended = try await command()
            try #require(ended.status == 0, "\(ended.talk)")
            await Pace.wait(.seconds(3))
            isOver.value = true
            let times = try await arrivals
            return (times.count, max(.zero, (times.last ?? start) - start))
        }

        /// Opens that many connections, one after another, each with some bytes of no protocol; returns how
        /// many were accepted.
        private static func knock(at endpoint: Endpoint, _ count: Int) -> Int {
            var reset = linger(l_onoff: 1, l_linger: 0)
            var accepted = 0
            for _ in 0..<2 * count where accepted < count {
                guard let connection = try? RawConnection(to: endpoint) else { continue }
                accepted += 1
                try? connection.write([1, 2, 3])
                // A port of the client is free again at once.
                setsockopt(
                    connection.descriptor, SOL_SOCKET, SO_LINGER, &reset,
                    socklen_t(MemoryLayout<Glibc.linger>.size))
            }
            return accepted
        }

        private static func isServed(_ toggles: HonestClient.Account, _ logIn: Duration) -> Bool {
            toggles.surprises.isEmpty && toggles.asked > 0 && toggles.p99 < p99AtMost && logIn <= logInAtMost
        }

        private static func text(_ toggles: HonestClient.Account, _ logIn: Duration) -> String {
            if let first = toggles.surprises.first { print("not applied: \(first)") }
            return
                "\(toggles.applied) of \(toggles.asked) toggles applied, p99 \(SecurityFigure.text(toggles.p99)); "
                + "slowest log-in \(SecurityFigure.text(logIn))"
        }
    }
}
