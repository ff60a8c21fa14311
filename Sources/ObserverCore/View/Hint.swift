import FleetTime

/// A sentence that answers a key, in the title line until the next key or for a while.
struct Hint: Sendable {
    /// How long it stays at most.
    static let patience: Duration = .seconds(5)

    let words: String
    let tone: EventLine.Tone
    let until: MonotonicTime

    init(_ words: String, _ tone: EventLine.Tone, at now: MonotonicTime) {
        (self.words, self.tone) = (words, tone)
        until = now.advanced(by: Self.patience)
    }
}
