import FleetTime

/// The files of one or several recordings behind one another, as one stretch of time from zero.
///
/// Between two files of one recording passes what passed; between recordings, nothing.
public struct RecordingTimeline: Sendable {
    /// The files, the oldest first.
    public let files: [RecordingIndex]
    /// When each begins.
    private let starts: [Duration]

    /// The timeline of those files, of which there is at least one.
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

    /// How long all of it is.
    public var length: Duration {
        let last = files.count - 1
        return time(of: files[last].lastAt.monotonic, inFile: last)
    }

    /// Where a moment of a file is.
    func time(of moment: MonotonicTime, inFile file: Int) -> Duration {
        starts[file] + max(.zero, files[file].start.at.monotonic.duration(to: moment))
    }

    /// The last place at or before a time where a replay can begin.
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
