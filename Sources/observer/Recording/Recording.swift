import FleetProtocol
import FleetReplica
import Glibc
import ProcessSupport
import UserText

/// A recording on disk, which carries out the file effects of a ``Recorder``. Flushed data is in the system's
/// page cache. It survives the end of the process, but not a power loss.
final class Recording {
    struct Progress: Sendable {
        var updates: UInt64 = 0
        var bytes = 0
        var files = 0
        var since: Moment
    }

    private let plan: RecordingPlan
    private var recorder: Recorder
    private var file: GrowingFile?
    private var report: RecordingReport
    private var progress: Progress

    /// Starts a recording; an existing recording is renamed to an earlier file. The file starts with the
    /// replica that replaces `replica`. Fails if the path has a file that is not a recording.
    init(_ plan: RecordingPlan, isShown: Bool, replica: inout Replica, at now: Moment) throws {
        self.plan = plan
        report = RecordingReport(path: plan.path, isShown: isShown)
        recorder = Recorder(account: plan.account, fileLimit: plan.fileLimit, seed: plan.seed)
        progress = Progress(since: now)
        try Self.expectOurs(plan.path)
        _ = try carryOut(recorder.begin(at: now), on: &replica)
    }

    /// Records an input of the replica before the replica handles it.
    func record(_ input: Replica.Input, of replica: Replica, at now: Moment) {
        recorder.record(input, of: replica, at: now)
    }

    /// Records a notice that does not come from the replica.
    func record(_ notice: ObserverEvent.Notice, at now: Moment) {
        switch notice {
        case .signedOut(let advice): recorder.record(.signedOut(advice), at: now)
        case .signedIn: recorder.record(.signedIn, at: now)
        case .held, .history: break
        }
    }

    /// Writes the data that is due; returns whether the replica was replaced by an empty one. After an error,
    /// the data written before stays readable.
    func turn(_ replica: inout Replica, at now: Moment) throws -> Bool {
        let isOther = try carryOut(recorder.turn(&replica, at: now), on: &replica)
        report.show(progress, of: replica, at: now)
        return isOther
    }

    /// Writes the remaining data and ends the recording.
    func finish(_ replica: inout Replica, at now: Moment) throws {
        _ = try carryOut(recorder.finish(at: now), on: &replica)
        file = nil
        report.conclude(progress, at: now)
    }

    private func carryOut(_ effects: [Recorder.Effect], on replica: inout Replica) throws -> Bool {
        var isOther = false
        for effect in effects {
            switch effect {
            case .append(let bytes): try append(bytes)
            case .begin(let bytes):
                try setAside()
                file = try create()
                progress.files += 1
                try append(bytes)
            case .restart(let seed):
                replica = Replica(random: SeededGenerator(seed: seed))
                isOther = true
            case .tooSmall(let bytes):
                let least = bytes * 2 / (1 << 20) + 1
                throw RecordingFailure(
                    description:
                        "cannot record: each file starts with a snapshot, which takes "
                        + "\(ByteText.text(bytes)). Give --max-size \(least)M or more")
            }
        }
        progress.updates = recorder.updateCount
        return isOther
    }

    private func append(_ bytes: [UInt8]) throws {
        guard let file else { return }
        let hasRoom: Bool
        do throws(RuntimeError) {
            hasRoom = try file.append(bytes)
        } catch {
            throw RecordingFailure(error)
        }
        guard hasRoom else {
            throw RecordingFailure(
                description: "recording stopped: the disk with \(plan.path) is full. The recording so far "
                    + "can be replayed; free space, or use a smaller --max-size or --keep")
        }
        progress.bytes += bytes.count
    }

    private func create() throws(RecordingFailure) -> GrowingFile {
        do throws(RuntimeError) {
            return try GrowingFile(replacing: plan.path)
        } catch {
            throw RecordingFailure(error)
        }
    }

    /// Renames each file to the next number, which overwrites the oldest one.
    private func setAside() throws {
        file = nil
        for number in stride(from: plan.keep - 2, through: 0, by: -1) {
            let old = RecordingPlan.path(plan.path, number: number)
            let new = RecordingPlan.path(plan.path, number: number + 1)
            guard rename(old, new) == 0 || errno == ENOENT else {
                throw RecordingFailure("rename", old, errno: errno)
            }
        }
    }

    /// An error that stops reading once the start of a file is recognized.
    private struct Recognized: Error {}

    private static func expectOurs(_ path: String) throws {
        var scan = RecordingScan()
        do {
            _ = try GrowingFile.read(path) { block in
                try scan.append(block.prefix(64 * 1_024))
                throw Recognized()
            }
        } catch is Recognized {
            // The file starts as a recording, which is sufficient.
        } catch let damage as RecordingDamage where damage == .notRecording {
            throw RecordingFailure(
                description: "\(path) exists and is not a recording: choose another file, or remove it")
        } catch is RecordingDamage {
            // A damaged recording is renamed unchanged, like an intact one.
        } catch let error as RuntimeError {
            throw RecordingFailure(error)
        }
    }
}

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
