public import FleetProtocol
public import FleetTime
public import PlantedBugs

/// A replica of one account's fleet, which combines a snapshot with the stream and repairs itself.
///
/// A replica is a value with a step function, which handles an input at a time and appends effects. The
/// driver carries out each ``Effect/pull(_:)`` and answers it with one chunk or ``Input/pullFailed(_:)``. It
/// also hands over a ``Input/tick`` when ``nextDue`` comes, because only a tick can detect a silent stream.
///
/// Every part of a row has the position in the stream that last wrote it, and older messages do not overwrite
/// it. A gap, another epoch, a lost connection or a second without a beat makes the replica stale at once. A
/// snapshot, pulled after a random delay, makes it whole again.
///
/// The step after the one that receives a chunk writes its rows, so that the next pull is sent first. The
/// driver hands the replica a ``Input/tick`` at once while ``hasUnwrittenRows`` holds.
public struct Replica: Sendable {
    /// An input of a step.
    public enum Input: Sendable {
        /// An update of the stream.
        case update(StreamUpdate)
        /// The answer to a pull.
        case chunk(SnapshotChunk, answering: Pull)
        /// A pull without an answer.
        case pullFailed(Pull)
        /// The connection to the controller has changed.
        case connection(ConnectionState)
        /// Time has passed.
        case tick
    }

    /// An effect of a step.
    public enum Effect: Sendable, Equatable {
        /// Pull a chunk of the snapshot from the controller.
        case pull(Pull)
        /// Report an event.
        case event(FleetEvent)
    }

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
            self.cursor = cursor
            self.end = end
            self.number = number
        }
    }

    /// The maximum number of pulls in flight.
    public static let pullsAtMost = 16

    /// The longest wait before a snapshot is pulled again, so that many observers do not all pull at once.
    public static let longestJitter: Duration = .milliseconds(250)
    /// The timeout after which a pull is repeated.
    public static let pullPatience: Duration = .seconds(1)

    /// The state of the connection, as of the last input.
    public internal(set) var connection: ConnectionState = .connecting
    /// The number of changes taken from the stream.
    public internal(set) var updateCount: UInt64 = 0
    /// The number of completed snapshots.
    public internal(set) var snapshotCount: UInt64 = 0
    /// The time at which the replica was last known to be up to date; nil before the first snapshot.
    public internal(set) var rightUntil: Moment?
    /// The controller's start number; zero before the first message.
    public internal(set) var epoch = Epoch.zero

    var phase = Phase.away
    /// The reason why the replica is stale; nil while it is up to date.
    var cause: Staleness? = .joining
    /// The time of the last update, or of the connection.
    var heardAt: MonotonicTime?
    /// Whether no message was received for ``Limits/staleAfter``.
    package internal(set) var isSilent = false
    /// Whether an update of this epoch was received since the connection was last lost.
    ///
    /// A connection for pulls does not imply a subscription, and updates published before the subscription
    /// are lost.
    var isSubscribed = false
    /// The number of consecutive failures.
    var failures = 0
    var pullNumber: UInt64 = 0
    var roundNumber: UInt32 = 0
    var staleSince: Moment?
    /// The position up to which the replica was complete when it was last whole.
    var wholeTo = StreamPosition.zero

    var continuity = StreamContinuity()
    /// The table of rows.
    package internal(set) var devices = DeviceTable()
    var nodes = NodeTable()
    var groups = GroupTable()
    var settings = SettingsTable()
    var held = HeldUpdates()
    /// The last chunk while its rows are not all written.
    var unwritten: Unwritten?
    let planted: Planting
    private var random: SeededGenerator

    /// Creates an empty replica, whose random delays come from the generator.
    ///
    /// - Parameter planted: The mistake that a simulation plants.
    public init(random: SeededGenerator, planted: Planting = Planting()) {
        self.random = random
        self.planted = planted
    }

    /// Takes an input and appends the effects.
    public mutating func step(_ input: Input, at now: Moment, into effects: inout [Effect]) {
        writeRows(into: &effects)
        switch input {
        case .update(let update): take(update, at: now, into: &effects)
        case .chunk(let chunk, let pull): take(chunk, answering: pull, at: now, into: &effects)
        case .pullFailed(let pull): fail(pull, at: now)
        case .connection(let phase): connect(phase, at: now, into: &effects)
        case .tick: tick(at: now, into: &effects)
        }
        if isWhole { rightUntil = now }
    }

    /// Whether the next step writes the rows of a received chunk.
    public var hasUnwrittenRows: Bool { unwritten != nil }

    /// The time of the next tick that has an effect; nil while only other inputs have.
    public var nextDue: MonotonicTime? {
        let silence = isSilent ? nil : heardAt?.advanced(by: Limits.staleAfter)
        let step: MonotonicTime? =
            switch phase {
            case .away, .whole: nil
            case .waiting(_, let until): until
            case .pulling(let round): round.deadline
            }
        return [silence, step].compactMap { $0 }.min()
    }
}

extension Replica {
    /// The progress of the snapshot.
    enum Phase {
        /// The connection is missing.
        case away
        /// The replica waits before it pulls.
        case waiting(SnapshotPass, until: MonotonicTime)
        /// The replica waits for chunks.
        case pulling(SnapshotPass)
        /// The replica is complete.
        case whole
    }

    /// A chunk whose rows are to be written.
    struct Unwritten {
        let chunk: SnapshotChunk
        /// The position in the stream at which the chunk was made.
        let position: StreamPosition
        /// The pass it belongs to, and the rows mentioned in it before.
        let round: UInt32
        let mentioned: UInt32
        let heardAt: WallTime
    }

    /// Replaces the seed of the random delays.
    package mutating func reseed(_ seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func newRound() -> SnapshotPass {
        roundNumber &+= 1
        return SnapshotPass(number: roundNumber)
    }

    /// Returns a random delay before a snapshot is pulled again.
    mutating func jitter() -> Duration {
        .nanoseconds(Int64.random(in: 0...Self.longestJitter.wholeNanoseconds, using: &random))
    }

    /// Returns the backoff after a failure: full jitter, base 50 ms, cap 500 ms.
    private mutating func backoff() -> Duration {
        let cap = min(500, 50 << min(failures, 4))
        failures += 1
        return .nanoseconds(Int64.random(in: 0...Int64(cap) * 1_000_000, using: &random))
    }

    mutating func pull(_ round: consuming SnapshotPass, at now: Moment, into effects: inout [Effect]) {
        round.ask(&pullNumber, into: &effects)
        round.deadline = now.monotonic.advanced(by: Self.pullPatience)
        phase = .pulling(round)
    }

    /// Marks the replica as stale and schedules a snapshot after a random delay.
    mutating func repair(_ reason: Staleness, at now: Moment, into effects: inout [Effect]) {
        becomeStale(reason, at: now, into: &effects)
        phase = .waiting(newRound(), until: now.monotonic.advanced(by: jitter()))
    }

    mutating func becomeStale(_ reason: Staleness, at now: Moment, into effects: inout [Effect]) {
        guard cause == nil else {
            if cause != .joining { cause = reason }
            return
        }
        cause = reason
        staleSince = now
        effects.append(.event(FleetEvent(at: now.wall, .stale(reason))))
    }

    private mutating func fail(_ pull: Pull, at now: Moment) {
        guard case .pulling(let round) = phase, round.awaits(pull) else { return }
        giveUp(round, at: now)
    }

    /// Schedules a retry of all unanswered pulls after a backoff.
    private mutating func giveUp(_ round: consuming SnapshotPass, at now: Moment) {
        round.forgetPulls()
        phase = .waiting(round, until: now.monotonic.advanced(by: backoff()))
    }

    private mutating func connect(_ new: ConnectionState, at now: Moment, into effects: inout [Effect]) {
        let old = connection
        connection = new
        guard new != old else { return }
        if new.words != old.words {
            effects.append(.event(FleetEvent(at: now.wall, .connection(new))))
        }
        guard new == .established else {
            if cause == .silence || cause == nil { becomeStale(.disconnected, at: now, into: &effects) }
            phase = .away
            heardAt = nil
            isSubscribed = false
            return
        }
        heardAt = now.monotonic
        isSilent = false
        failures = 0
        guard case .away = phase else { return }
        if cause == .joining {
            pull(newRound(), at: now, into: &effects)
        } else {
            phase = .waiting(newRound(), until: now.monotonic.advanced(by: jitter()))
        }
    }

    private mutating func tick(at now: Moment, into effects: inout [Effect]) {
        if let heardAt, !isSilent, !planted(.silenceIgnored),
            heardAt.advanced(by: Limits.staleAfter) <= now.monotonic
        {
            isSilent = true
            if case .whole = phase { repair(.silence, at: now, into: &effects) }
        }
        switch phase {
        case .away, .whole: break
        case .waiting(let round, let until):
            if until <= now.monotonic { pull(round, at: now, into: &effects) }
        case .pulling(let round):
            if round.deadline <= now.monotonic { giveUp(round, at: now) }
        }
    }
}
