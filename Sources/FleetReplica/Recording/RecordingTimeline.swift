import FleetProtocol

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

    /// Returns the position of a time in a file.
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
