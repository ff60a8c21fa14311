public import FleetProtocol

/// A replica of one account's fleet, which combines a snapshot with the stream and repairs itself.
///
/// A replica is a value with a step function, which handles one input at a time and appends effects. The
/// driver executes each ``Effect/pull(_:)`` and answers it with one chunk or ``Input/pullFailed(_:)``. It
/// also passes a ``Input/tick`` at ``nextDue``, because only a tick can detect a silent stream.
///
/// Every part of a row has the position in the stream that last wrote it, and older messages do not overwrite
/// it. A gap, another epoch, a lost connection or a second without a beat makes the replica stale at once. A
/// snapshot, pulled after a random delay, makes it whole again.
///
/// The step after the one that receives a chunk writes its rows, so that the next pull is sent first. The
/// driver hands the replica a ``Input/tick`` at once while ``hasUnwrittenRows`` holds.
///
/// ```swift
/// replica.step(input, at: start, into: &effects)
/// for effect in effects {
///     switch effect {
///     case .pull(let pull): handle(.chunk(snapshot(), answering: pull))
///     case .event(let event): print("event at \(event.at.unixMilliseconds)")
///     }
/// }
/// ```
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

    /// A chunk whose rows are to be written.
    struct UnwrittenChunk {
        let chunk: SnapshotChunk
        /// The position in the stream at which the chunk was made.
        let position: StreamPosition
        /// The pass it belongs to, and the rows mentioned in it before.
        let round: UInt32
        let mentioned: UInt32
        let receivedAt: WallTime
    }

    /// The state of the connection, as of the last input.
    public private(set) var connection: ConnectionState = .connecting
    /// The number of changes received from the stream.
    public private(set) var updateCount: UInt64 = 0
    /// The number of completed snapshots.
    public private(set) var snapshotCount: UInt64 = 0
    /// The time at which the replica was last known to be up to date; nil before the first snapshot.
    public private(set) var rightUntil: Moment?
    /// Why the replica may be out of date; nil while it is up to date.
    public private(set) var staleness: Staleness? = .joining
    private var staleSince: Moment?
    /// The position up to which the replica was complete when it was last whole.
    private var wholeTo = StreamPosition.zero

    private(set) var stream = StreamReception()
    var snapshot: SnapshotPulls
    private(set) var tables: ReplicaTables
    /// The last chunk while its rows are not all written.
    private var unwritten: UnwrittenChunk?
    private let planted: Planting

    /// Creates an empty replica, whose random delays come from the generator.
    ///
    /// - Parameters:
    ///   - random: The generator of the random delays.
    ///   - planted: The planted bug of a simulation; none by default.
    public init(random: SeededGenerator, planted: Planting = Planting()) {
        snapshot = SnapshotPulls(random: random)
        tables = ReplicaTables(planted: planted)
        self.planted = planted
    }

    /// Handles an input and appends the effects.
    ///
    /// - Parameters:
    ///   - input: The input; inputs are handed over in the order of their arrival.
    ///   - now: The current time, which never decreases.
    ///   - effects: The array to which the step appends; the driver carries out the effects in order.
    public mutating func step(_ input: Input, at now: Moment, into effects: inout [Effect]) {
        writeRows(into: &effects)
        switch input {
        case .update(let update): receive(update, at: now, into: &effects)
        case .chunk(let chunk, let pull): receive(chunk, answering: pull, at: now, into: &effects)
        case .pullFailed(let pull): snapshot.fail(pull, at: now.monotonic)
        case .connection(let phase): connect(phase, at: now, into: &effects)
        case .tick: tick(at: now, into: &effects)
        }
        if isWhole { rightUntil = now }
    }

    /// Whether the next step writes the rows of a received chunk.
    public var hasUnwrittenRows: Bool { unwritten != nil }

    /// The time of the next tick that has an effect; nil while only other inputs have.
    public var nextDue: MonotonicTime? { [stream.silenceDue, snapshot.due].compactMap(\.self).min() }

    /// The number of updates that are missing, or that follow a missing one.
    public var behind: UInt64 {
        guard !isWhole else { return 0 }
        let (newest, from) = (position.sequence.value, wholeTo.epoch == epoch ? wholeTo.sequence.value : 0)
        return newest - min(from, newest)
    }

    package mutating func reseed(_ seed: UInt64) { snapshot.reseed(seed) }

    /// Writes the rows of the last chunk, if they are not written yet.
    package mutating func writeRows(into effects: inout [Effect]) {
        guard let unwritten else { return }
        self.unwritten = nil
        tables.write(unwritten, into: &effects)
    }

    /// Continues another replica's numbers, positions and random delays.
    mutating func restore(_ state: ReplicaState) {
        (connection, updateCount, snapshotCount) = (state.connection, state.updateCount, state.snapshotCount)
        stream.restore(state.continuity, receivedAt: state.receivedAt)
        snapshot.restore(pullNumber: state.pullNumber, roundNumber: state.roundNumber)
        reseed(state.seed)
    }
}

extension Replica {
    /// Applies an update: its rows first, so that none are lost, then its effect on the replica's continuity.
    private mutating func receive(_ update: StreamUpdate, at now: Moment, into effects: inout [Effect]) {
        guard update.epoch >= epoch else { return }
        if update.epoch > epoch { enter(update.epoch, at: now, into: &effects) }
        snapshot.resetBackoff()
        var relation = stream.receive(update, at: now.monotonic)
        if relation == .gap, planted(.gapIgnored) || (update.body == .beat && planted(.beatWithoutNumber)) {
            relation = .repeated
        }
        if relation != .repeated, update.body != .beat {
            if case .reports(let reports) = update.body {
                updateCount += UInt64(reports.count)
            } else {
                updateCount += 1
            }
            tables.apply(update, holds: !isWhole, into: &effects)
        }
        switch (relation, snapshot.phase) {
        case (.gap, .disconnected): becomeStale(.gap, at: now, into: &effects)
        case (.gap, _): repair(.gap, at: now, into: &effects)
        // An update proves that the controller is reachable, whatever the last connection state was.
        case (.next, .disconnected), (.repeated, .disconnected): snapshot.schedule(at: now.monotonic)
        case (.next, .whole), (.repeated, .whole): settle(at: now, into: &effects)
        case (.next, .waiting), (.next, .pulling), (.repeated, .waiting), (.repeated, .pulling): break
        }
    }

    /// Enters another epoch: the replica becomes stale, and sequence numbers restart.
    private mutating func enter(_ new: Epoch, at now: Moment, into effects: inout [Effect]) {
        let isFirst = stream.enter(new)
        tables.enterEpoch()
        if !isFirst { repair(.otherEpoch, at: now, into: &effects) }
    }

    /// Marks the replica as stale and schedules a snapshot after a random delay.
    private mutating func repair(_ reason: Staleness, at now: Moment, into effects: inout [Effect]) {
        becomeStale(reason, at: now, into: &effects)
        snapshot.schedule(at: now.monotonic)
    }

    private mutating func becomeStale(_ reason: Staleness, at now: Moment, into effects: inout [Effect]) {
        guard staleness == nil else {
            if staleness != .joining { staleness = reason }
            return
        }
        staleness = reason
        staleSince = now
        effects.append(.event(FleetEvent(at: now.wall, .stale(reason))))
    }

    /// Becomes whole once the snapshot is complete and the stream is received.
    private mutating func settle(at now: Moment, into effects: inout [Effect]) {
        guard !stream.isSilent else {
            staleness = .silence
            return
        }
        guard stream.isSubscribed else { return }
        let isFirst = wholeTo.epoch == .zero
        wholeTo = position
        guard staleness != nil else { return }
        staleness = nil
        let staleFor = staleSince.map { $0.monotonic.duration(to: now.monotonic) } ?? .zero
        staleSince = nil
        let resync = FleetEvent.Resync(
            devices: deviceCount, position: position, isFirst: isFirst, staleFor: staleFor)
        effects.append(.event(FleetEvent(at: now.wall, .resync(resync))))
    }

    private mutating func connect(_ new: ConnectionState, at now: Moment, into effects: inout [Effect]) {
        let old = connection
        connection = new
        guard new != old else { return }
        if new.text != old.text { effects.append(.event(FleetEvent(at: now.wall, .connection(new)))) }
        guard new == .established else {
            if staleness == .silence || staleness == nil {
                becomeStale(.disconnected, at: now, into: &effects)
            }
            snapshot.stop()
            stream.disconnect()
            return
        }
        stream.connect(at: now.monotonic)
        snapshot.resetBackoff()
        guard case .disconnected = snapshot.phase else { return }
        if staleness == .joining {
            snapshot.begin(at: now.monotonic, into: &effects)
        } else {
            snapshot.schedule(at: now.monotonic)
        }
    }

    private mutating func tick(at now: Moment, into effects: inout [Effect]) {
        if !planted(.silenceIgnored), stream.detectSilence(at: now.monotonic),
            case .whole = snapshot.phase
        {
            repair(.silence, at: now, into: &effects)
        }
        snapshot.tick(at: now.monotonic, into: &effects)
    }
}

extension Replica {
    /// Handles the chunk that answers a pull; drops it if the pull is not awaited.
    private mutating func receive(
        _ chunk: SnapshotChunk, answering pull: Pull, at now: Moment, into effects: inout [Effect]
    ) {
        guard var round = snapshot.receive(chunk, answering: pull) else { return }
        if chunk.epoch < epoch {
            guard stream.isSilent else { return snapshot.schedule(at: now.monotonic) }
            // A lower epoch means that the controller's store was replaced, so positions of the old one are
            // invalid.
            tables.resetPositions()
            return enter(chunk.epoch, at: now, into: &effects)
        }
        if chunk.epoch > epoch {
            enter(chunk.epoch, at: now, into: &effects)
            guard round.start == nil else { return }
        }
        while let (chunk, step) = round.popChunk() {
            writeRows(into: &effects)
            let position = StreamPosition(epoch: chunk.epoch, sequence: chunk.sequence)
            if round.start == nil {
                guard stream.begin(at: chunk.sequence) else { return snapshot.schedule(at: now.monotonic) }
                round.start = position
                tables.removeUnconfirmed(above: round.bounds?.rows ?? 0)
            }
            guard step != .stuck else { return snapshot.schedule(at: now.monotonic, isStuck: true) }
            unwritten = UnwrittenChunk(
                chunk: chunk, position: position, round: round.number, mentioned: round.mentioned,
                receivedAt: now.wall)
            round.mentioned += UInt32(chunk.rows.count)
            guard step == .onward else {
                writeRows(into: &effects)
                return complete(round, at: now, into: &effects)
            }
        }
        snapshot.pull(round, at: now.monotonic, into: &effects)
    }

    private mutating func complete(_ round: SnapshotPass, at now: Moment, into effects: inout [Effect]) {
        guard let start = round.start else { preconditionFailure("a snapshot ended before its first chunk") }
        let isComplete = tables.complete(round: round.number, from: start, at: now.wall, into: &effects)
        snapshotCount += 1
        guard isComplete else { return snapshot.schedule(at: now.monotonic) }
        snapshot.complete()
        settle(at: now, into: &effects)
    }
}
