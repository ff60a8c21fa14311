import FleetProtocol
import FleetTime

/// One pass over all the slots, in stretches of which several are asked for at a time.
///
/// Until a chunk has told where the slots end, one question follows the other. Then the rest is cut into
/// stretches of about a chunk each. Whichever answer comes first, the chunks are taken in the order of the
/// slots: one that is early waits here for those before it.
struct SnapshotPass: Sendable {
    /// Some slots that were asked for, or are to be.
    private struct Stretch: Sendable {
        let cursor: UInt32
        /// The slot behind the last; 0 for all that there are.
        let end: UInt32
        var pull: Replica.Pull?
        var chunk: SnapshotChunk?

        var isUnasked: Bool { pull == nil && chunk == nil }
    }

    /// What a chunk means for the pass.
    enum Step: Equatable {
        /// There is more.
        case onward
        /// Nothing follows.
        case last
        /// It leads nowhere.
        case stuck
    }

    /// The longest stretch, for an account that has few of very many slots.
    private static let longestStretch: UInt32 = 65_536

    let number: UInt32
    /// The first chunk's position; nil before it came.
    var start: StreamPosition?
    /// Rows mentioned so far.
    var mentioned: UInt32 = 0
    /// When what was asked for is asked for again.
    var deadline = MonotonicTime.never

    /// In the order of the slots; what is before the first was taken.
    private var stretches: [Stretch] = []
    /// Where the stretches that are to come begin; nil when all have begun.
    private var rest: UInt32? = 0
    /// Where the slots end, as the newest chunk tells; 0 when none has.
    private var end: UInt32 = 0
    /// Slots of the next stretch.
    private var length = UInt32(Limits.chunkRows)

    /// A pass that has asked for nothing yet.
    init(number: UInt32) {
        self.number = number
    }

    /// Whether a question is under way.
    func awaits(_ pull: Replica.Pull) -> Bool {
        stretches.contains { $0.pull?.number == pull.number }
    }

    /// The question that is answered next, as its answer is taken; nil when none is under way.
    var nextPull: Replica.Pull? { stretches.first?.pull }

    /// Takes up an answer; then ``takeChunk()`` gives what can be taken.
    ///
    /// - Returns: Whether the question was under way.
    mutating func receive(_ chunk: SnapshotChunk, answering pull: Replica.Pull) -> Bool {
        guard let place = stretches.firstIndex(where: { $0.pull?.number == pull.number }) else {
            return false
        }
        stretches[place].pull = nil
        stretches[place].chunk = chunk
        return true
    }

    /// Takes the next chunk in the order of the slots, if it is there.
    mutating func takeChunk() -> (chunk: SnapshotChunk, step: Step)? {
        guard let stretch = stretches.first, let chunk = stretch.chunk else { return nil }
        stretches.removeFirst()
        end = max(end, chunk.endCursor)
        if chunk.isLast { return (chunk, .last) }
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

    /// Asks for whatever may be asked for now.
    ///
    /// Half of the questions at a time: who makes many chunks in one turn, and who reads them, wakes up once.
    ///
    /// - Parameter lastNumber: The number of the last question, which each raises.
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

    /// Takes it that no answer comes any more to what was asked.
    mutating func forgetPulls() {
        for place in stretches.indices { stretches[place].pull = nil }
    }
}
