import FleetProtocol

extension Replica {
    /// A request for a chunk of the snapshot.
    public struct Pull: Hashable, Sendable {
        /// The slot to begin at.
        public let cursor: UInt32
        /// The slot to stop before at the latest; 0 for none.
        public let end: UInt32
        /// The number of the pull within the replica, so that a late answer is recognized.
        public let number: UInt64

        /// The pull of those values.
        package init(cursor: UInt32, end: UInt32 = 0, number: UInt64) {
            (self.cursor, self.end, self.number) = (cursor, end, number)
        }
    }

    /// The maximum number of pulls in flight.
    public static let pullsAtMost = 16

    /// The longest wait before a snapshot is pulled again, so that many observers do not all pull at once.
    public static let longestJitter: Duration = .milliseconds(250)
    /// The timeout after which a pull is repeated.
    public static let pullTimeout: Duration = .seconds(1)
}

/// The times at which a replica pulls a snapshot: at once or after a random delay, and again after a failure.
struct SnapshotPulls: Sendable {
    /// The progress of the snapshot.
    enum Phase: Sendable {
        /// The connection is missing.
        case disconnected
        /// The replica waits before it pulls.
        case waiting(SnapshotPass, until: MonotonicTime)
        /// The replica waits for chunks.
        case pulling(SnapshotPass)
        /// The replica is complete.
        case whole
    }

    private(set) var phase = Phase.disconnected
    /// The number of the last pull.
    private(set) var pullNumber: UInt64 = 0
    /// The number of the last pass.
    private(set) var roundNumber: UInt32 = 0
    /// The number of consecutive failures.
    private var failures = 0
    /// The number of consecutive passes that were stuck.
    private var stuckPasses = 0
    private var random: SeededGenerator

    /// Pulls whose random delays come from the generator.
    init(random: SeededGenerator) { self.random = random }

    /// The time of the next pull, or of the timeout of pulls in flight; nil for neither.
    var due: MonotonicTime? {
        switch phase {
        case .disconnected, .whole: nil
        case .waiting(_, let until): until
        case .pulling(let round): round.deadline
        }
    }

    /// Schedules a new pass after a random delay, which doubles with each pass in a row that was stuck.
    mutating func schedule(at now: MonotonicTime, isStuck: Bool = false) {
        let jitter = Int64.random(in: 0...Replica.longestJitter.wholeNanoseconds, using: &random)
        if isStuck { stuckPasses += 1 }
        phase = .waiting(newRound(), until: now.advanced(by: .nanoseconds(jitter << min(stuckPasses, 5))))
    }

    /// Replaces the bounds of the pass that is pulled, because its rows are known to be as many.
    mutating func expect(rows: Int) {
        guard case .pulling(var round) = phase else { return }
        round.bounds = SnapshotBounds(rows: rows)
        phase = .pulling(round)
    }

    /// Begins a new pass at once.
    mutating func begin(at now: MonotonicTime, into effects: inout [Replica.Effect]) {
        pull(newRound(), at: now, into: &effects)
    }

    /// Pulls the next chunks of a pass.
    mutating func pull(
        _ round: consuming SnapshotPass, at now: MonotonicTime, into effects: inout [Replica.Effect]
    ) {
        round.ask(&pullNumber, into: &effects)
        round.deadline = now.advanced(by: Replica.pullTimeout)
        phase = .pulling(round)
    }

    /// Receives a chunk; returns the pass that awaits it, or nil if none does.
    mutating func receive(_ chunk: SnapshotChunk, answering pull: Replica.Pull) -> SnapshotPass? {
        guard case .pulling(var round) = phase, round.receive(chunk, answering: pull) else { return nil }
        failures = 0
        return round
    }

    /// Resets the backoff, because the controller can be reached.
    mutating func resetBackoff() { failures = 0 }

    /// Ends the pass, which has made the replica complete.
    mutating func complete() { (phase, stuckPasses) = (.whole, 0) }

    /// Stops, because the connection is lost.
    mutating func stop() { phase = .disconnected }

    /// Schedules a retry after a pull failed.
    mutating func fail(_ pull: Replica.Pull, at now: MonotonicTime) {
        guard case .pulling(let round) = phase, round.awaits(pull) else { return }
        retry(round, at: now)
    }

    /// Pulls if it is time, and schedules a retry if the pulls in flight have timed out.
    mutating func tick(at now: MonotonicTime, into effects: inout [Replica.Effect]) {
        switch phase {
        case .disconnected, .whole: break
        case .waiting(let round, let until):
            if until <= now { pull(round, at: now, into: &effects) }
        case .pulling(let round):
            if round.deadline <= now { retry(round, at: now) }
        }
    }

    mutating func reseed(_ seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Continues another replica's numbers.
    mutating func restore(pullNumber: UInt64, roundNumber: UInt32) {
        self.pullNumber = pullNumber
        self.roundNumber = max(self.roundNumber, roundNumber)
    }

    private mutating func newRound() -> SnapshotPass {
        roundNumber &+= 1
        return SnapshotPass(number: roundNumber)
    }

    /// Schedules a retry of all unanswered pulls after a backoff: full jitter, base 50 ms, cap 500 ms.
    private mutating func retry(_ round: consuming SnapshotPass, at now: MonotonicTime) {
        let cap = min(500, 50 << min(failures, 4))
        failures += 1
        let wait = Int64.random(in: 0...Int64(cap) * 1_000_000, using: &random)
        round.discardPulls()
        phase = .waiting(round, until: now.advanced(by: .nanoseconds(wait)))
    }
}
