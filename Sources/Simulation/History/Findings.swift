/// The violations of invariants that a run has shown, and the kinds of events that occurred in it.
struct Findings {
    private static let violationsAtMost = 20

    private(set) var violations: [String] = []
    /// The names of events that occurred at least once.
    var seen: Set<String> = []

    mutating func violate(_ what: String) {
        if violations.count < Self.violationsAtMost { violations.append(what) }
    }
}
