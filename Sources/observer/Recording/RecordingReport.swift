import FleetReplica
import ObserverCore
import Runtime
import Stepping
import Wording

/// Tells how a recording comes on, on a terminal in a line that changes each second, and what came of it.
struct RecordingReport {
    let path: String
    /// Whether somebody looks.
    let isShown: Bool
    private var shownAt: MonotonicTime?

    init(path: String, isShown: Bool) {
        self.path = path
        self.isShown = isShown
    }

    /// Takes how far the recording has come, and says so if it is time.
    mutating func show(_ progress: Recording.Progress, of replica: Replica, at now: Moment) {
        guard isShown, shownAt.map({ $0.duration(to: now.monotonic) >= .seconds(1) }) ?? true else { return }
        shownAt = now.monotonic
        let state =
            replica.staleness.map { ", stale: \($0.words)" }
            ?? ", \(Count.of(replica.deviceCount, "device"))"
        let line = "recording \(SafeText.of(path)): \(Self.sum(of: progress, at: now))\(state)"
        TextOutput.standardError.say("\r\(line)\u{1b}[K")
    }

    /// Says what has come of it.
    func conclude(_ progress: Recording.Progress, at now: Moment) {
        let start = shownAt != nil ? "\r\u{1b}[K" : ""
        let files = progress.files > 1 ? " and \(Count.of(progress.files - 1, "earlier file")) of it" : ""
        TextOutput.standardError.say(
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
