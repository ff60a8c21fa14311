public import FleetProtocol

/// Plays recorded files from any time, at the speed of its caller.
public struct RecordingPlayer: Sendable {
    /// Reads bytes of a file, given its index, the offset and the count; returns fewer at the end of the
    /// file.
    public typealias Read = @Sendable (_ file: Int, _ byte: Int, _ count: Int) throws -> [UInt8]
    /// Called for each event, with its replica and its time.
    public typealias Report = (_ event: ObserverEvent, _ replica: Replica, _ at: Moment) -> Void

    private static let windowBytes = 1 << 20

    /// The files as one timeline.
    public let timeline: RecordingTimeline
    /// The position on the timeline.
    public private(set) var position: Duration = .zero
    /// The recorded time at that position.
    public private(set) var now: Moment

    private let read: Read
    private var playback = Playback()
    private var file = 0
    /// The offset of the first unread byte of the file.
    private var byte: Int
    /// The bytes read ahead; ``windowPlace`` is the offset of the next block in them.
    private var window: [UInt8] = []
    private var windowPlace = 0
    /// The entries to play, from ``nextEntry`` on.
    private var entries: [RecordingEntry] = []
    private var nextEntry = 0

    /// A player at the start of files.
    public init(_ timeline: RecordingTimeline, read: @escaping Read) {
        self.timeline = timeline
        self.read = read
        now = timeline.files[0].start.at
        byte = timeline.files[0].entrances[0].byte
    }

    /// The replica at the position.
    public var replica: Replica { playback.replica }
    /// The account of the devices.
    public var account: String { playback.account }
    /// Whether the position is at the end.
    public var isAtEnd: Bool { position >= timeline.length && nextEntry == entries.count }

    /// The time of the next entry; nil at the end.
    ///
    /// - Throws: ``RecordingDamage``, and the errors of reading.
    public mutating func nextTime() throws -> Duration? {
        while nextEntry == entries.count {
            guard let content = try nextBlock() else { return nil }
            do throws(RecordError) {
                entries = try playback.open(content)
            } catch {
                throw RecordingDamage.malformed(byte: byte, reason: error.description)
            }
            nextEntry = 0
        }
        return timeline.time(of: entries[nextEntry].at.monotonic, inFile: file)
    }

    /// Plays the entries up to a time, at most that many.
    ///
    /// - Returns: Whether it reached the time.
    /// - Throws: ``RecordingDamage``, and the errors of reading.
    public mutating func play(to time: Duration, entries limit: Int = .max, report: Report) throws -> Bool {
        var left = limit
        while let next = try nextTime(), next <= time {
            guard left > 0 else { return false }
            left -= 1
            let entry = entries[nextEntry]
            nextEntry += 1
            position = next
            now = entry.at
            playback.apply(entry) { report($0, $1, entry.at) }
        }
        let end = min(time, timeline.length)
        if end > position {
            now = now.advanced(by: end - position)
            position = end
        }
        return true
    }

    /// Moves to another time, from the last state before it, without reporting the events between.
    ///
    /// - Throws: ``RecordingDamage``, and the errors of reading.
    public mutating func seek(to time: Duration) throws {
        let time = min(max(.zero, time), timeline.length)
        let entrance = timeline.entrance(before: time)
        playback.leave()
        (file, byte) = entrance
        (window, windowPlace, entries, nextEntry) = ([], 0, [], 0)
        now = timeline.files[file].entrances.last { $0.byte <= byte }?.at ?? timeline.files[file].start.at
        position = timeline.time(of: now.monotonic, inFile: file)
        _ = try play(to: time) { _, _, _ in }
    }

    /// Returns the content of the next block, in this file or the next; nil at the end.
    private mutating func nextBlock() throws -> ArraySlice<UInt8>? {
        while byte >= timeline.files[file].endByte {
            guard file + 1 < timeline.files.count else { return nil }
            file += 1
            byte = timeline.files[file].entrances[0].byte
            (window, windowPlace) = ([], 0)
        }
        try fill(RecordingFormat.blockHeadBytes)
        let length = window[windowPlace + 4..<windowPlace + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= RecordingFormat.largestBlockBytes else { throw RecordingDamage.damaged(byte: byte) }
        try fill(RecordingFormat.blockHeadBytes + length)
        let start = windowPlace + RecordingFormat.blockHeadBytes
        let content = window[start..<start + length]
        let sum = window[windowPlace..<windowPlace + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard sum == Checksum.of(content) else { throw RecordingDamage.damaged(byte: byte) }
        windowPlace += RecordingFormat.blockHeadBytes + length
        byte += RecordingFormat.blockHeadBytes + length
        return content
    }

    /// Reads ahead until that many bytes are available; fails if the file has become shorter.
    private mutating func fill(_ count: Int) throws {
        guard window.count - windowPlace < count else { return }
        window.removeFirst(windowPlace)
        windowPlace = 0
        window += try read(file, byte + window.count, max(count, Self.windowBytes))
        guard window.count >= count else { throw RecordingDamage.damaged(byte: byte) }
    }
}

/// Feeds a replica with the inputs of a recording, so that it reaches the same states. Blocks are processed
/// in order, from the first one of a file or from a state. If a file continues the recording of the previous
/// one, its state is skipped, because the replica already has it.
struct Playback: Sendable {
    private(set) var replica = Replica(random: SeededGenerator(seed: 0))
    private(set) var account = ""

    /// The last file begun; nil if the replica is not the recorded one.
    private var present: (recording: UInt64, number: UInt32)?
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

    /// Decodes a block, whose entries the caller passes to ``apply(_:report:)``, each at its time.
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

/// The files of one or several recordings in order, as one timeline from zero.
///
/// The time between two files of one recording counts; the time between two recordings does not.
public struct RecordingTimeline: Sendable {
    /// The files, oldest first.
    public let files: [RecordingIndex]
    /// The start of each file on the timeline.
    private let starts: [Duration]

    /// The timeline of those files, at least one.
    public init(_ files: [RecordingIndex]) {
        precondition(!files.isEmpty, "a timeline without a file")
        self.files = files
        var starts: [Duration] = [.zero]
        for (last, next) in zip(files, files.dropFirst()) {
            let isSame = last.start.recording == next.start.recording
            let end = isSame ? max(last.lastAt.monotonic, next.start.at.monotonic) : last.lastAt.monotonic
            starts.append((starts.last ?? .zero) + max(.zero, last.start.at.monotonic.duration(to: end)))
        }
        self.starts = starts
    }

    /// The length of the timeline.
    public var length: Duration {
        let last = files.count - 1
        return time(of: files[last].lastAt.monotonic, inFile: last)
    }

    func time(of moment: MonotonicTime, inFile file: Int) -> Duration {
        starts[file] + max(.zero, files[file].start.at.monotonic.duration(to: moment))
    }

    /// Returns the last position at or before a time where a replay can begin.
    func entrance(before time: Duration) -> (file: Int, byte: Int) {
        var found = (file: 0, byte: files[0].entrances[0].byte)
        for (file, index) in files.enumerated() {
            for entrance in index.entrances where self.time(of: entrance.at.monotonic, inFile: file) <= time {
                found = (file, entrance.byte)
            }
        }
        return found
    }
}
