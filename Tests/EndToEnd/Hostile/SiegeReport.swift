/// What was sent in a siege, what came back, and what honest clients felt of it.
struct SiegeReport: Sendable, CustomStringConvertible {
    /// Hostile messages sent, by socket and kind.
    var sent: [String: [String: Int]] = [:]
    /// Answers that the controller owed, by socket.
    var owed: [String: Int] = [:]
    /// Answers that it gave, by socket; more than owed where nobody can say how many.
    var answered: [String: Int] = [:]
    /// How many refused messages the controller's log must count, by its words.
    var refused: [String: Int] = [:]
    /// What honest toggles took, milliseconds, alone and under fire.
    var alone: [Double] = []
    var underFire: [Double] = []
    var asked = 0
    var applied = 0
    /// Honest toggles that ended in any other way.
    var surprises: [String] = []

    /// The time that a part of the toggles did not exceed.
    static func quantile(_ part: Double, of times: [Double]) -> Double {
        guard !times.isEmpty else { return 0 }
        return times.sorted()[min(times.count - 1, Int(part * Double(times.count)))]
    }

    /// A line for each socket, and one for the honest clients.
    var description: String {
        let sockets = sent.sorted { $0.key < $1.key }.map { socket, kinds in
            let total = kinds.values.reduce(0, +)
            let words = kinds.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            return "\(socket): \(total) sent, \(answered[socket] ?? 0) answered, \(owed[socket] ?? 0) owed: "
                + words.joined(separator: ", ")
        }
        return
            (sockets + [
                "honest toggles: \(asked) asked, \(applied) applied; \(Self.words("alone", alone)); "
                    + Self.words("under fire", underFire)
            ]).joined(separator: "\n")
    }

    private static func words(_ when: String, _ times: [Double]) -> String {
        let (half, most) = (quantile(0.5, of: times), quantile(0.99, of: times))
        return "\(when) p50 \(rounded(half)) ms, p99 \(rounded(most)) ms"
    }

    private static func rounded(_ milliseconds: Double) -> Double {
        (milliseconds * 100).rounded() / 100
    }
}
