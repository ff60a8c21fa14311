public import FleetProtocol

/// Plays recorded files from any time, at the speed of its caller.
public struct RecordingPlayer: Sendable {
    /// Reads bytes of a file, given its index, the offset and the count; returns fewer at the end of the
    /// file.
    public typealias Read = @Sendable (_ file: Int, _ byte: Int, _ count: Int) throws -> [UInt8]
    /// Called for each event, with its replica and its time.
    public typealias Report = (_ event: ObserverEvent, _ replica: Replica, _ at: Moment) -> Void

    /// The number of bytes to read at once.
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

    /// Reads ahead until that many bytes are available.
    ///
    /// - Throws: `damaged` if the file has become shorter.
    private mutating func fill(_ count: Int) throws {
        guard window.count - windowPlace < count else { return }
        window.removeFirst(windowPlace)
        windowPlace = 0
        window += try read(file, byte + window.count, max(count, Self.windowBytes))
        guard window.count >= count else { throw RecordingDamage.damaged(byte: byte) }
    }
}
