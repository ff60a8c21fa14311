import FleetProtocol

/// Feeds a replica with the inputs of a recording, so that it reaches the same states.
///
/// Blocks are processed in order, from the first one of a file or from a state. If a file continues the
/// recording of the previous one, its state is skipped, because the replica already has it.
struct Playback: Sendable {
    private(set) var replica = Replica(random: SeededGenerator(seed: 0))
    private(set) var account = ""

    /// The last file begun; nil if the replica is not the recorded one.
    private var present: (recording: UInt64, number: UInt32)?
    /// Whether the next state is applied.
    private var wantsState = true
    private var state: ReplicaState?
    private var chunks: [SnapshotChunk] = []
    private var effects: [Replica.Effect] = []

    /// Discards the replica; the next state starts another one.
    mutating func leave() {
        present = nil
        wantsState = true
        state = nil
        chunks = []
    }

    /// Decodes a block.
    ///
    /// - Returns: The entries of the block; the caller passes each to ``apply(_:report:)`` at its time.
    /// - Throws: `RecordError` if the block is malformed.
    mutating func open(_ content: ArraySlice<UInt8>) throws(RecordError) -> [RecordingEntry] {
        var reader = RecordReader(content)
        guard let kind = RecordingFormat.Content(rawValue: try reader.readByte()) else {
            throw .malformed(field: "content")
        }
        switch kind {
        case .start:
            begin(try RecordingStart(from: &reader))
            return []
        case .state:
            let state = try ReplicaState(from: &reader)
            guard wantsState else {
                // The recorded replica continued with this seed, too.
                replica.reseed(state.seed)
                return []
            }
            self.state = state
            try enterIfComplete()
            return []
        case .rows:
            guard state != nil else { return [] }
            _ = try reader.read(Moment.self)
            chunks.append(try SnapshotChunk(reply: reader.readBlock()))
            try enterIfComplete()
            return []
        case .entries:
            guard !wantsState else { throw .malformed(field: "state") }
            _ = try reader.read(Moment.self)
            reader.begin(try reader.readBlock())
            var entries: [RecordingEntry] = []
            while reader.bytesLeft > 0 { entries.append(try RecordingEntry(from: &reader)) }
            return entries
        }
    }

    /// Applies an entry, and reports the resulting events.
    mutating func apply(_ entry: RecordingEntry, report: (ObserverEvent, Replica) -> Void) {
        switch entry.body {
        case .input(let input):
            replica.step(input, at: entry.at, into: &effects)
            replica.writeRows(into: &effects)
            for case .event(let event) in effects { report(ObserverEvent(event), replica) }
            effects.removeAll(keepingCapacity: true)
        case .signedOut(let advice): report(ObserverEvent(at: entry.at.wall, .signedOut(advice)), replica)
        case .signedIn: report(ObserverEvent(at: entry.at.wall, .signedIn), replica)
        case .end: break
        }
    }

    private mutating func begin(_ start: RecordingStart) {
        let continues =
            present.map { $0.recording == start.recording && $0.number == start.number &- 1 } ?? false
        account = start.account
        present = (start.recording, start.number)
        if start.isFresh {
            replica = Replica(random: SeededGenerator(seed: start.seed))
            wantsState = false
        } else if !continues {
            wantsState = true
        }
    }

    private mutating func enterIfComplete() throws(RecordError) {
        guard let state, chunks.count == state.chunkCount else { return }
        replica = try Replica(state, chunks: chunks)
        wantsState = false
        (self.state, chunks) = (nil, [])
    }
}
