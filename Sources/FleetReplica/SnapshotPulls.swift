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
    enum Phase: Sendable {
        case disconnected
        case waiting(SnapshotPass, until: MonotonicTime)
        case pulling(SnapshotPass)
        case whole
    }

    private(set) var phase = Phase.disconnected
    private(set) var pullNumber: UInt64 = 0
    private(set) var roundNumber: UInt32 = 0
    private var failures = 0
    private var stuckPasses = 0
    private var random: SeededGenerator

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

    mutating func begin(at now: MonotonicTime, into effects: inout [Replica.Effect]) {
        pull(newRound(), at: now, into: &effects)
    }

    mutating func pull(
        _ round: consuming SnapshotPass, at now: MonotonicTime, into effects: inout [Replica.Effect]
    ) {
        round.ask(&pullNumber, into: &effects)
        round.deadline = now.advanced(by: Replica.pullTimeout)
        phase = .pulling(round)
    }

    mutating func receive(_ chunk: SnapshotChunk, answering pull: Replica.Pull) -> SnapshotPass? {
        guard case .pulling(var round) = phase, round.receive(chunk, answering: pull) else { return nil }
        failures = 0
        return round
    }

    /// Resets the backoff, because the controller can be reached.
    mutating func resetBackoff() { failures = 0 }

    /// Ends the pass, which has made the replica complete.
    mutating func complete() { (phase, stuckPasses) = (.whole, 0) }

    mutating func stop() { phase = .disconnected }

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

/// One pass over all slots, in ranges; several of them are pulled at a time. Until a chunk has the end of the
/// slots, pulls are sequential. Then the rest is divided into ranges of about a chunk each. Chunks are
/// applied in the order of the slots, whatever the order of arrival: an early one waits for those before it.
struct SnapshotPass: Sendable {
    /// A range of slots that is pulled, or will be.
    private struct Stretch: Sendable {
        let cursor: UInt32
        /// The slot after the last one; 0 for all slots.
        let end: UInt32
        var pull: Replica.Pull?
        var chunk: SnapshotChunk?

        var isUnasked: Bool { pull == nil && chunk == nil }
    }

    enum Step: Equatable {
        case onward
        case last
        /// The chunk makes no progress, or has more than the first chunk announced.
        case stuck
    }

    /// The longest range, for an account with few of very many slots.
    private static let longestStretch: UInt32 = 65_536

    let number: UInt32
    /// The position of the first chunk; nil before it.
    var start: StreamPosition?
    var mentioned: UInt32 = 0
    var bounds: SnapshotBounds?
    /// The time at which unanswered pulls are repeated.
    var deadline = MonotonicTime.never

    /// The ranges in the order of the slots; those before the first are complete.
    private var stretches: [Stretch] = []
    /// The first slot of the ranges to come; nil if all have begun.
    private var rest: UInt32? = 0
    /// The end of the slots, from the first chunk; 0 if unknown.
    private var end: UInt32 = 0
    private var length = UInt32(Limits.chunkRows)

    init(number: UInt32) { self.number = number }

    func awaits(_ pull: Replica.Pull) -> Bool {
        stretches.contains { $0.pull?.number == pull.number }
    }

    /// The pull whose chunk is applied next; nil if none is in flight.
    var nextPull: Replica.Pull? { stretches.first?.pull }

    /// Receives the answer to a pull; ``popChunk()`` then returns the chunks to apply. Returns whether the
    /// pull was in flight.
    mutating func receive(_ chunk: SnapshotChunk, answering pull: Replica.Pull) -> Bool {
        guard let place = stretches.firstIndex(where: { $0.pull?.number == pull.number }) else {
            return false
        }
        stretches[place].pull = nil
        stretches[place].chunk = chunk
        return true
    }

    /// Returns the next chunk in the order of the slots, if it has arrived.
    mutating func popChunk() -> (chunk: SnapshotChunk, step: Step)? {
        guard let stretch = stretches.first, let chunk = stretch.chunk else { return nil }
        stretches.removeFirst()
        var bounds = bounds ?? SnapshotBounds(announcedBy: chunk)
        let isWithinBounds = bounds.count(chunk)
        self.bounds = bounds
        guard isWithinBounds else { return (chunk, .stuck) }
        if end == 0 { end = chunk.endCursor }
        if bounds.isLast(chunk) { return (chunk, .last) }
        guard chunk.nextCursor > stretch.cursor else { return (chunk, .stuck) }
        if stretch.end == 0 {
            rest = chunk.nextCursor
        } else if chunk.nextCursor < stretch.end {
            stretches.insert(Stretch(cursor: chunk.nextCursor, end: stretch.end), at: 0)
            length = max(UInt32(Limits.chunkRows), length / 2)
        } else if 2 * chunk.rows.count <= Limits.chunkRows {
            length = min(2 * length, Self.longestStretch)
        }
        return (chunk, .onward)
    }

    /// Sends the pulls that are due, and increments the number of the last one for each. Pulls are sent in
    /// groups of half the maximum, so that the controller makes many chunks in one turn, and the reader wakes
    /// up once for them.
    mutating func ask(_ lastNumber: inout UInt64, into effects: inout [Replica.Effect]) {
        if stretches.count <= Replica.pullsAtMost / 2 {
            while stretches.count < Replica.pullsAtMost, let cursor = rest {
                let isRest = cursor >= end || end - cursor <= length
                stretches.append(Stretch(cursor: cursor, end: isRest ? 0 : cursor + length))
                rest = isRest ? nil : cursor + length
            }
        }
        for place in stretches.indices where stretches[place].isUnasked {
            lastNumber += 1
            let pull = Replica.Pull(
                cursor: stretches[place].cursor, end: stretches[place].end, number: lastNumber)
            stretches[place].pull = pull
            effects.append(.pull(pull))
        }
    }

    mutating func discardPulls() {
        for place in stretches.indices { stretches[place].pull = nil }
    }
}
