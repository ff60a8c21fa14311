public import FleetProtocol

/// Records the inputs of a replica as bytes for files, and each file can be replayed alone.
///
/// A file begins with a state or an empty replica, and has another state every few megabytes, where a replay
/// can begin. The recorder does no I/O: the caller calls ``turn(_:at:)`` several times a second and executes
/// the returned effects.
public struct Recorder: Sendable {
    /// An action on the files.
    public enum Effect: Sendable, Equatable {
        case append([UInt8])
        /// Rename the current file, and create a new one with those bytes.
        case begin([UInt8])
        /// Replace the replica by an empty one with this seed, which the file has.
        case restart(seed: UInt64)
        /// Stop recording: two states of that many bytes do not fit into a file.
        case tooSmall(stateBytes: Int)
    }

    /// The smallest size limit of a file, bytes.
    public static let leastFileBytes = 1 << 20
    /// The smallest distance between two states in a file: bytes, and as a multiple of a state's size.
    private static let stateInterval = (bytes: 4 << 20, states: 4)
    /// The longest time that bytes wait before they are written, if the caller's turns come in time.
    private static let flushInterval: Duration = .milliseconds(200)

    /// The bytes in the current file, without pending ones.
    public private(set) var fileBytes = 0
    /// The number of recorded updates, without heartbeats.
    public private(set) var updateCount: UInt64 = 0

    private let account: String
    private let recording: UInt64
    private let fileLimit: Int
    private var number: UInt32 = 0
    private var random: SeededGenerator
    private var entries = RecordWriter()
    /// The time of the last of them; nil without any.
    private var lastAt: Moment?
    private var pending: [UInt8] = []
    private var flushedAt = MonotonicTime.zero
    private var bytesSinceState = 0
    private var stateBytes = 0
    private var hasState = false

    /// A recorder without entries.
    ///
    /// - Parameters:
    ///   - fileLimit: The maximum size of a file in bytes, at least ``leastFileBytes``.
    ///   - seed: 64 random bits, which also identify the recording.
    public init(account: String, fileLimit: Int, seed: UInt64) {
        precondition(fileLimit >= Self.leastFileBytes, "files of \(fileLimit) bytes")
        self.account = account
        self.fileLimit = fileLimit
        random = SeededGenerator(seed: seed)
        recording = random.next()
    }

    /// Begins the first file, or one in place of a full one, with an empty replica that the effects name.
    public mutating func begin(at now: Moment) -> [Effect] {
        let seed = random.next()
        let head = head(seed: seed, isFresh: true, at: now)
        fileBytes = head.count
        return [.begin(head), .restart(seed: seed)]
    }

    /// Records an input before the replica handles it; ticks without effect are left out.
    public mutating func record(_ input: Replica.Input, of replica: Replica, at now: Moment) {
        switch input {
        case .tick:
            guard let due = replica.nextDue, due <= now.monotonic else { return }
        case .update(let update):
            if update.body != .beat { updateCount += 1 }
        case .chunk, .pullFailed, .connection: break
        }
        put(RecordingEntry(at: now, .input(input)))
    }

    /// Records that the session was lost or restored, or that the recording ends.
    public mutating func record(_ body: RecordingEntry.Body, at now: Moment) {
        put(RecordingEntry(at: now, body))
    }

    /// Returns the actions that are due.
    public mutating func turn(_ replica: inout Replica, at now: Moment) -> [Effect] {
        var effects: [Effect] = []
        let used = fileBytes + pending.count + entries.bytes.count
        if used + RecordingFormat.largestBlockBytes > fileLimit {
            effects += flush(at: now)
            return effects + begin(at: now)
        }
        if used > fileLimit / 8 * 7, used > 2 * stateBytes, let state = makeState(of: &replica, at: now) {
            effects += flush(at: now)
            return effects + beginNext(with: state, at: now)
        }
        let interval = max(Self.stateInterval.bytes, Self.stateInterval.states * stateBytes)
        if !hasState || bytesSinceState > interval, used + stateBytes < fileLimit / 8 * 7,
            let state = makeState(of: &replica, at: now)
        {
            guard 2 * state.count <= fileLimit else { return [.tooSmall(stateBytes: state.count)] }
            // Entries from before the state precede it.
            closeBlock()
            pending += state
            recordState(state)
        }
        let isDue = flushedAt.advanced(by: Self.flushInterval) <= now.monotonic
        return effects + (isDue || pending.count >= RecordingFormat.fullBlockBytes ? flush(at: now) : [])
    }

    /// Returns the last actions, which write all pending entries.
    public mutating func finish(at now: Moment) -> [Effect] {
        record(.end, at: now)
        return flush(at: now)
    }

    private mutating func put(_ entry: RecordingEntry) {
        entry.write(to: &entries)
        lastAt = entry.at
        if entries.bytes.count >= RecordingFormat.fullBlockBytes { closeBlock() }
    }

    private mutating func closeBlock() {
        guard let at = lastAt else { return }
        var content = RecordWriter()
        content.put(byte: RecordingFormat.Content.entries.rawValue)
        content.put(at)
        content.put(block: entries.bytes)
        let block = RecordingFormat.block(content)
        entries.removeAll()
        lastAt = nil
        pending += block
        bytesSinceState += block.count
    }

    private mutating func flush(at now: Moment) -> [Effect] {
        closeBlock()
        flushedAt = now.monotonic
        guard !pending.isEmpty else { return [] }
        fileBytes += pending.count
        defer { pending.removeAll(keepingCapacity: true) }
        return [.append(pending)]
    }

    private mutating func head(seed: UInt64, isFresh: Bool, at now: Moment) -> [UInt8] {
        let start = RecordingStart(
            at: now, recording: recording, number: number, account: account, seed: seed, isFresh: isFresh)
        number += 1
        var writer = RecordWriter()
        writer.put(byte: RecordingFormat.Content.start.rawValue)
        writer.put(start)
        hasState = false
        return RecordingFormat.header + RecordingFormat.block(writer)
    }

    private mutating func beginNext(with state: [UInt8], at now: Moment) -> [Effect] {
        guard 2 * state.count <= fileLimit else { return [.tooSmall(stateBytes: state.count)] }
        let bytes = head(seed: random.next(), isFresh: false, at: now) + state
        fileBytes = bytes.count
        recordState(state)
        return [.begin(bytes)]
    }

    private mutating func recordState(_ state: [UInt8]) {
        hasState = true
        bytesSinceState = 0
        stateBytes = state.count
    }

    /// Returns the blocks of a replica's state; nil while the replica is incomplete.
    private mutating func makeState(of replica: inout Replica, at now: Moment) -> [UInt8]? {
        guard replica.isSettled else { return nil }
        let chunks = replica.chunks()
        let seed = random.next()
        guard let state = ReplicaState(of: &replica, seed: seed, chunkCount: chunks.count, at: now) else {
            return nil
        }
        var writer = RecordWriter()
        writer.put(byte: RecordingFormat.Content.state.rawValue)
        writer.put(state)
        var blocks = RecordingFormat.block(writer)
        for chunk in chunks {
            writer.removeAll()
            writer.put(byte: RecordingFormat.Content.rows.rawValue)
            writer.put(now)
            writer.put(block: chunk.replyBytes)
            blocks += RecordingFormat.block(writer)
        }
        return blocks
    }
}
