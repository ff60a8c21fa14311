import ProcessSupport

/// A comparison of all systems with four hops.
enum PeerLines {
    /// Starts servers and fleets, measures them in turn, and stops them.
    ///
    /// - Parameters:
    ///   - executables: The directory of `fleet`, `controller` and `device-sim`.
    ///   - drivers: The directory of the peers' drivers.
    static func measure(
        _ executables: String, _ drivers: String, in directory: BenchDirectory
    ) async throws -> PeerRounds {
        try await PeerServer.mosquitto(in: directory).run { mosquitto in
            try await PeerServer.nats(in: directory).run { nats in
                try await BenchFleet.run(executables, Durability.allCases, in: directory) { fleets in
                    let others =
                        Peer.mosquitto(PeerDriver(path: "\(drivers)/mosquitto"), port: mosquitto)
                        + Peer.nats(PeerDriver(path: "\(drivers)/nats"), port: nats)
                    return try await PeerRounds(
                        of: Peer.bare(in: directory) + others + fleets.map(Peer.fleet))
                }
            }
        }
    }

    /// Returns the targets of a fleet, relative to systems that only forward.
    static func targets(_ rounds: PeerRounds) throws -> [Line] {
        let durable = Peer.title(of: .process)
        guard let bareSingle = rounds.figures(Peer.bareIPC, inFlight: 1)?.medianUs,
            let bareMany = rounds.figures(Peer.bareIPC, inFlight: 1_000)?.perSecond,
            let single = rounds.figures(durable, inFlight: 1)?.medianUs,
            let many = rounds.figures(durable, inFlight: 1_000)?.perSecond,
            let unstored = rounds.figures(Peer.title(of: .none), inFlight: 1_000)?.perSecond
        else { throw BenchFailure.setUp }
        let mosquitto = rounds.figures(Peer.mosquittoQoS0, inFlight: 1_000)?.perSecond
        return [
            Line(
                what: "toggle, durable, 1 in flight, p50", measured: "\(Line.text(single, 1)) µs",
                baseline: "\(Line.text(bareSingle, 1)) µs, \(Peer.bareIPC)",
                ratio: Line.text(single / bareSingle, 2), target: "≤ 1.3 ×", isMet: single <= 1.3 * bareSingle
            ),
            Line(
                what: "toggles, durable, 1000 in flight", measured: perSecond(many), target: "≥ 100000 /s",
                isMet: many >= 100_000),
            atLeast(2.5, "toggles, durable, 1000 in flight", many, mosquitto, of: Peer.mosquittoQoS0),
            atLeast(0.35, "toggles, journal off, 1000 in flight", unstored, bareMany, of: Peer.bareIPC),
        ]
    }

    /// Returns a line for a rate that should be a multiple of another.
    private static func atLeast(
        _ times: Double, _ what: String, _ rate: Double, _ baseline: Double?, of title: String
    ) -> Line {
        Line(
            what: what, measured: perSecond(rate),
            baseline: baseline.map { "\(perSecond($0)), \(title)" } ?? "\(title): not installed",
            ratio: baseline.map { Line.text(rate / $0, 2) } ?? "", target: "≥ \(times) ×",
            isMet: baseline.map { rate >= times * $0 })
    }

    private static func perSecond(_ rate: Double) -> String { "\(Line.text(rate, 0)) /s" }
}
