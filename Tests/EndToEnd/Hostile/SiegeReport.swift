/// The messages sent in a siege, the replies, and the effect on honest clients.
struct SiegeReport: Sendable, CustomStringConvertible {
    /// Hostile messages sent, by socket and kind.
    var sent: [String: [String: Int]] = [:]
    /// Replies that the controller owed, by socket.
    var owed: [String: Int] = [:]
    /// Replies that it gave, by socket; more than owed if their number is unknown.
    var answered: [String: Int] = [:]
    /// The minimum counts of refused messages in the controller's log, by label.
    var refused: [String: Int] = [:]
    /// The times at which each interval without and with attacks began, in turn, and at which the last ended.
    var turns: [ContinuousClock.Instant] = []
    /// The honest client's results.
    var honest = HonestClient.Account()

    /// Work that an interval with attacks leaves counts neither to it nor to the next one without.
    private static let transition = Duration.milliseconds(200)

    /// The latencies of honest toggles in each interval without, or with, attacks, in milliseconds.
    private func times(underFire: Bool) -> [[Double]] {
        zip(turns, turns.dropFirst()).enumerated().filter { $0.offset.isMultiple(of: 2) != underFire }.map {
            let (start, end) = $0.element
            return honest.times.filter { start + Self.transition <= $0.at && $0.at < end }.map {
                $0.took / .milliseconds(1)
            }
        }
    }

    /// The mean number of messages that a socket got in a second with attacks.
    private var rate: Double {
        let times = zip(turns, turns.dropFirst()).enumerated().filter { !$0.offset.isMultiple(of: 2) }
        let total = times.map { $0.element.1 - $0.element.0 }.reduce(.zero, +)
        let messages = sent.values.flatMap(\.values).reduce(0, +)
        return Double(messages) / Double(sent.count) / (total / .seconds(1))
    }

    /// The ratio of the 99th percentile with attacks to that without: the median of the rounds.
    var slowdown: Double { quantile(0.99, underFire: true) / quantile(0.99, underFire: false) }

    /// A quantile of the toggles' latency: the median of the rounds, in milliseconds.
    private func quantile(_ part: Double, underFire: Bool) -> Double {
        Self.quantile(0.5, of: times(underFire: underFire).map { Self.quantile(part, of: $0) })
    }

    private static func quantile(_ part: Double, of times: [Double]) -> Double {
        guard !times.isEmpty else { return .nan }
        return times.sorted()[min(times.count - 1, Int(part * Double(times.count)))]
    }

    /// A line for each socket, and one for the honest clients.
    var description: String {
        let sockets = sent.sorted { $0.key < $1.key }.map { socket, kinds in
            let total = kinds.values.reduce(0, +)
            let text = kinds.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            return "\(socket): \(total) sent, \(answered[socket] ?? 0) answered, \(owed[socket] ?? 0) owed: "
                + text.joined(separator: ", ")
        }
        let war = "under fire of \(Int(rate)) messages a second at each socket"
        let text = [
            "honest toggles: \(honest.asked) asked, \(honest.applied) applied",
            "alone \(text(underFire: false))", "\(war) \(text(underFire: true))",
            "p99 \(Self.rounded(slowdown)) times as long (medians of \(turns.count / 2) rounds)",
        ]
        return (sockets + [text.joined(separator: "; ")]).joined(separator: "\n")
    }

    private func text(underFire: Bool) -> String {
        let (half, most) = (quantile(0.5, underFire: underFire), quantile(0.99, underFire: underFire))
        return "p50 \(Self.rounded(half)) ms, p99 \(Self.rounded(most)) ms"
    }

    private static func rounded(_ number: Double) -> Double {
        (number * 100).rounded() / 100
    }
}
