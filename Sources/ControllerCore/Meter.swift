/// What a controller counts of itself, second by second.
struct Meter: Sendable {
    private var endedNow = 0
    private var longestTurnNow: Duration = .zero
    /// Requests that ended in the last full second.
    private(set) var endedPerSecond = 0
    /// The longest turn of the last full second.
    private(set) var longestTurn: Duration = .zero

    mutating func noteEnd() {
        endedNow += 1
    }

    mutating func noteTurn(took duration: Duration) {
        longestTurnNow = max(longestTurnNow, duration)
    }

    mutating func endSecond() {
        endedPerSecond = endedNow
        longestTurn = longestTurnNow
        endedNow = 0
        longestTurnNow = .zero
    }
}
