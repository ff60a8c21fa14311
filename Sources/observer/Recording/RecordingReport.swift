import FleetProtocol
import FleetReplica
import ProcessSupport
import UserText

/// Reports the progress of a recording on a terminal line once a second, and the final result.
struct RecordingReport {
    let path: String
    let isShown: Bool
    private var shownAt: MonotonicTime?

    init(path: String, isShown: Bool) { (self.path, self.isShown) = (path, isShown) }

    /// Shows the progress unless it was shown within the last second.
    mutating func show(_ progress: Recording.Progress, of replica: Replica, at now: Moment) {
        guard isShown, shownAt.map({ $0.duration(to: now.monotonic) >= .seconds(1) }) ?? true else { return }
        shownAt = now.monotonic
        let state =
            replica.staleness.map { ", stale: \($0.text)" }
            ?? ", \(Count.of(replica.deviceCount, "device"))"
        let line = "recording \(SafeText.of(path)): \(Self.sum(of: progress, at: now))\(state)"
        TextOutput.standardError.writeIgnoringErrors("\r\(line)\u{1b}[K")
    }

    func conclude(_ progress: Recording.Progress, at now: Moment) {
        let start = shownAt != nil ? "\r\u{1b}[K" : ""
        let files = progress.files > 1 ? " and \(Count.of(progress.files - 1, "earlier file"))" : ""
        TextOutput.standardError.writeIgnoringErrors(
            "\(start)observer: recorded \(Self.sum(of: progress, at: now)) into \(SafeText.of(path))\(files)\n"
        )
    }

    private static func sum(of progress: Recording.Progress, at now: Moment) -> String {
        let seconds = progress.since.monotonic.duration(to: now.monotonic).wholeMilliseconds / 1_000
        return
            "\(progress.updates) update\(progress.updates == 1 ? "" : "s"), \(ByteText.text(progress.bytes)), "
            + DurationText.text(.seconds(seconds))
    }
}
