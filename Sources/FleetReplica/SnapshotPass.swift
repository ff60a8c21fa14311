import FleetProtocol

/// One pass over all slots, in ranges; several of them are pulled at a time.
///
/// Until a chunk has the end of the slots, pulls are sequential. Then the rest is divided into ranges of
/// about a chunk each. Chunks are applied in the order of the slots, whatever the order of arrival: an early
/// one waits for those before it.
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

    /// The effect of a chunk on the pass.
    enum Step: Equatable {
        /// More chunks follow.
        case onward
        /// The pass is complete.
        case last
        /// The chunk makes no progress, or has more than the first chunk announced.
        case stuck
    }

    /// The longest range, for an account with few of very many slots.
    private static let longestStretch: UInt32 = 65_536

    let number: UInt32
    /// The position of the first chunk; nil before it.
    var start: StreamPosition?
    /// The number of rows so far.
    var mentioned: UInt32 = 0
    /// The announced bounds; nil before the first chunk.
    var bounds: SnapshotBounds?
    /// The time at which unanswered pulls are repeated.
    var deadline = MonotonicTime.never

    /// The ranges in the order of the slots; those before the first are complete.
    private var stretches: [Stretch] = []
    /// The first slot of the ranges to come; nil if all have begun.
    private var rest: UInt32? = 0
    /// The end of the slots, from the first chunk; 0 if unknown.
    private var end: UInt32 = 0
    /// The number of slots in the next range.
    private var length = UInt32(Limits.chunkRows)

    /// A pass without pulls.
    init(number: UInt32) { self.number = number }

    /// Whether a pull is in flight.
    func awaits(_ pull: Replica.Pull) -> Bool {
        stretches.contains { $0.pull?.number == pull.number }
    }

    /// The pull whose chunk is applied next; nil if none is in flight.
    var nextPull: Replica.Pull? { stretches.first?.pull }

    /// Receives the answer to a pull; ``popChunk()`` then returns the chunks to apply.
    ///
    /// - Returns: Whether the pull was in flight.
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

    /// Sends the pulls that are due.
    ///
    /// Pulls are sent in groups of half the maximum, so that the controller makes many chunks in one turn,
    /// and the reader wakes up once for them.
    ///
    /// - Parameter lastNumber: The number of the last pull, which is incremented for each.
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

    /// Gives up the pulls in flight.
    mutating func discardPulls() {
        for place in stretches.indices { stretches[place].pull = nil }
    }
}
