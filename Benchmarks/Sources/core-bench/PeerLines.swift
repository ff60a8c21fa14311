import CoreParts
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
        guard let bareSingle = rounds.figures(Peer.bareIPC, inFlight: 1),
            let bareSome = rounds.figures(Peer.bareIPC, inFlight: 64),
            let bareMany = rounds.figures(Peer.bareIPC, inFlight: 1_000),
            let single = rounds.figures(durable, inFlight: 1),
            let some = rounds.figures(durable, inFlight: 64),
            let many = rounds.figures(durable, inFlight: 1_000),
            let unstored = rounds.figures(Peer.title(of: .none), inFlight: 1_000)
        else { throw BenchFailure.setUp }
        let mosquitto = { rounds.figures(Peer.mosquittoQoS0, inFlight: $0)?.perSecond }
        return [
            median(0.9, "toggle, durable, 1 in flight, p50", single, bareSingle),
            median(2, "toggle, durable, 64 in flight, p50", some, bareSome),
            atLeast(2, "toggles, durable, 64 in flight", some, mosquitto(64), of: Peer.mosquittoQoS0),
            atLeast(3, "toggles, durable, 1000 in flight", many, mosquitto(1_000), of: Peer.mosquittoQoS0),
            atLeast(
                0.25, "toggles, journal off, 1000 in flight", unstored, bareMany.perSecond, of: Peer.bareIPC),
        ]
    }

    /// Returns a line for a median that should be at most a multiple of that of libzmq.
    private static func median(
        _ times: Double, _ what: String, _ figures: FourHops.Figures, _ bare: FourHops.Figures
    ) -> Line {
        Line(
            what: what, measured: "\(Line.text(figures.medianUs, 1)) µs",
            baseline: "\(Line.text(bare.medianUs, 1)) µs, \(Peer.bareIPC)",
            ratio: Line.text(figures.medianUs / bare.medianUs, 2), target: "≤ \(Line.text(times, 1)) ×",
            isMet: figures.medianUs <= times * bare.medianUs)
    }

    /// Returns a line for a rate that should be a multiple of another.
    private static func atLeast(
        _ times: Double, _ what: String, _ figures: FourHops.Figures, _ baseline: Double?, of title: String
    ) -> Line {
        Line(
            what: what, measured: perSecond(figures.perSecond),
            baseline: baseline.map { "\(perSecond($0)), \(title)" } ?? "\(title): not installed",
            ratio: baseline.map { Line.text(figures.perSecond / $0, 2) } ?? "", target: "≥ \(times) ×",
            isMet: baseline.map { figures.perSecond >= times * $0 })
    }

    private static func perSecond(_ rate: Double) -> String { "\(Line.text(rate, 0)) /s" }
}
