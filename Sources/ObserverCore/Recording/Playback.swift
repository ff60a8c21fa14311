import FileFraming
import FleetProtocol
import FleetReplica
import FleetTime

/// Gives a replica what a recording says it was given, so that it comes to the same.
///
/// It takes blocks in their order, from a file's first or from a state on. Where a file goes on with the
/// recording of the one before, its state is passed over: the replica is there already.
struct Playback: Sendable {
    private(set) var replica = Replica(random: SeededGenerator(seed: 0))
    /// Whose devices they are.
    private(set) var account = ""

    /// The file that was begun last, while the replica is the one that was recorded.
    private var present: (recording: UInt64, number: UInt32)?
    /// Whether the next state is to be taken.
    private var wantsState = true
    private var state: ReplicaState?
    private var chunks: [SnapshotChunk] = []
    private var effects: [Replica.Effect] = []

    /// Gives the replica up: the next state begins another.
    mutating func leave() {
        present = nil
        wantsState = true
        state = nil
        chunks = []
    }

    /// Takes a block.
    ///
    /// - Returns: The entries in it, each to be given to ``take(_:tell:)`` when its time has come.
    /// - Throws: What is not as it was written.
    mutating func open(_ content: ArraySlice<UInt8>) throws(RecordError) -> [RecordingEntry] {
        var reader = RecordReader(content)
        guard let kind = RecordingFormat.Content(rawValue: try reader.takeByte()) else {
            throw .malformed(field: "content")
        }
        switch kind {
        case .start:
            begin(try RecordingStart(from: &reader))
            return []
        case .state:
            let state = try ReplicaState(from: &reader)
            guard wantsState else {
                // The one that was recorded goes on with this seed too.
                replica.reseed(state.seed)
                return []
            }
            self.state = state
            try enterIfComplete()
            return []
        case .rows:
            guard state != nil else { return [] }
            _ = try reader.takeMoment()
            chunks.append(try SnapshotChunk(reply: reader.takeBlock()))
            try enterIfComplete()
            return []
        case .entries:
            guard !wantsState else { throw .malformed(field: "state") }
            _ = try reader.takeMoment()
            reader.begin(try reader.takeBlock())
            var entries: [RecordingEntry] = []
            while reader.bytesLeft > 0 { entries.append(try RecordingEntry(from: &reader)) }
            return entries
        }
    }

    /// Takes an entry, and tells the events that follow from it.
    mutating func take(_ entry: RecordingEntry, tell: (ObserverEvent, Replica) -> Void) {
        switch entry.body {
        case .input(let input):
            replica.step(input, at: entry.at, into: &effects)
            replica.writeRows(into: &effects)
            for case .event(let event) in effects { tell(ObserverEvent(event), replica) }
            effects.removeAll(keepingCapacity: true)
        case .signedOut(let advice): tell(ObserverEvent(at: entry.at.wall, .signedOut(advice)), replica)
        case .signedIn: tell(ObserverEvent(at: entry.at.wall, .signedIn), replica)
        case .end: break
        }
    }

    private mutating func begin(_ start: RecordingStart) {
        let goesOn = present.map { $0.recording == start.recording && $0.number + 1 == start.number } ?? false
        account = start.account
        present = (start.recording, start.number)
        if start.isFresh {
            replica = Replica(random: SeededGenerator(seed: start.seed))
            wantsState = false
        } else if !goesOn {
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
