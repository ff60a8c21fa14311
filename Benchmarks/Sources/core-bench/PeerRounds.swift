import CoreParts

/// Rounds over all peers, and the medians of their results.
struct PeerRounds: Sendable {
    /// The numbers of messages in flight.
    static let inFlight = [1, 64, 1_000]
    private static let rounds = 5

    /// The names of the peers, in the order of the table.
    private var titles: [String] = []
    /// The medians of each installed peer, for each number in flight.
    private var medians: [String: [Int: FourHops.Figures]] = [:]

    /// Measures the peers; each round begins with another peer, so that no peer is always the first.
    init(of peers: [Peer]) async throws {
        titles = peers.map(\.title)
        for inFlight in Self.inFlight {
            var runs: [String: [FourHops.Figures]] = [:]
            for round in 0..<Self.rounds {
                for place in peers.indices {
                    let peer = peers[(place + round) % peers.count]
                    guard let run = peer.run else { continue }
                    let messages = inFlight == 1 ? peer.messages.single : peer.messages.many
                    let figures = try await run(inFlight, messages)
                    Progress.report("\(peer.title), \(inFlight) in flight: \(figures)")
                    runs[peer.title, default: []].append(figures)
                }
            }
            for (title, figures) in runs {
                medians[title, default: [:]][inFlight] = FourHops.Figures(
                    perSecond: Measuring.median(figures.map(\.perSecond)),
                    medianUs: Measuring.median(figures.map(\.medianUs)))
            }
        }
    }

    /// Returns the medians of a peer; nil if it is not installed.
    func figures(_ title: String, inFlight: Int) -> FourHops.Figures? { medians[title]?[inFlight] }

    /// The table that compares the peers.
    var table: Table {
        let heading =
            ["four hops there and back"]
            + Self.inFlight.flatMap { ["\($0) in flight, p50", "a second"] }
        return Table(
            heading: heading,
            rows: titles.map { title in
                let cells = Self.inFlight.flatMap { inFlight in
                    figures(title, inFlight: inFlight).map {
                        ["\(Line.text($0.medianUs, 0)) µs", "\(Line.text($0.perSecond, 0))"]
                    } ?? ["not installed", ""]
                }
                return [title] + cells
            })
    }
}
