import Stepping

/// Judges whether a fleet has become as large as it is to be.
struct Arrival: Sendable {
    /// What follows from a look.
    enum Verdict: Equatable, Sendable {
        /// It has.
        case arrived
        /// Look again soon, and tell people that, if anything.
        case again(say: String?)
        /// Time is up.
        case late
    }

    /// How often to look.
    static let interval: Duration = .milliseconds(50)
    /// How often people are told how far it is.
    static let progressInterval: Duration = .seconds(1)

    private let devices: Int
    private let deadline: MonotonicTime
    private var nextProgressAt: MonotonicTime

    /// A judge for a fleet that is to have so many devices from now on: it has 30 s, and 1 s for each 20,000.
    init(of devices: Int, at now: MonotonicTime) {
        self.devices = devices
        deadline = now.advanced(by: .seconds(30) + .seconds(devices / 20_000))
        nextProgressAt = now.advanced(by: Self.progressInterval)
    }

    /// What follows from so many devices being known.
    mutating func judge(_ known: Int, at now: MonotonicTime) -> Verdict {
        if known == devices { return .arrived }
        if now >= deadline { return .late }
        guard now >= nextProgressAt else { return .again(say: nil) }
        nextProgressAt = now.advanced(by: Self.progressInterval)
        return .again(say: "\(known) devices known, \(devices) wanted")
    }
}
