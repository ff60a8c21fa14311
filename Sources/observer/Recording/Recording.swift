import FleetProtocol
import FleetReplica
import Glibc
import ObserverCore
import Runtime
import Stepping

/// A recording on the disk: carries out what a ``Recorder`` wants of files.
///
/// What was flushed is with the system, and so outlives the process, but not a loss of power.
final class Recording {
    /// How far it has come.
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

    /// Begins a recording; a recording that is there already is set aside as an earlier one.
    ///
    /// - Parameters:
    ///   - isShown: Whether somebody looks how it comes on.
    ///   - replica: Becomes the one that the file begins with.
    /// - Throws: ``RecordingFailure``, also where some other file is in the place.
    init(_ plan: RecordingPlan, isShown: Bool, replica: inout Replica, at now: Moment) throws {
        self.plan = plan
        report = RecordingReport(path: plan.path, isShown: isShown)
        recorder = Recorder(account: plan.account, fileLimit: plan.fileLimit, seed: plan.seed)
        progress = Progress(since: now)
        try Self.expectOurs(plan.path)
        _ = try carryOut(recorder.begin(at: now), on: &replica)
    }

    /// Takes what the replica is about to be given.
    func take(_ input: Replica.Input, of replica: Replica, at now: Moment) {
        recorder.take(input, of: replica, at: now)
    }

    /// Takes what is told beside the replica.
    func note(_ notice: ObserverEvent.Notice, at now: Moment) {
        switch notice {
        case .signedOut(let advice): recorder.note(.signedOut(advice), at: now)
        case .signedIn: recorder.note(.signedIn, at: now)
        case .held, .history: break
        }
    }

    /// Writes what is due.
    ///
    /// - Returns: Whether the replica is another, which knows nothing.
    /// - Throws: ``RecordingFailure``; what was written before can be read.
    func turn(_ replica: inout Replica, at now: Moment) throws -> Bool {
        let isOther = try carryOut(recorder.turn(&replica, at: now), on: &replica)
        report.show(progress, of: replica, at: now)
        return isOther
    }

    /// Writes what is left, and ends the recording.
    ///
    /// - Throws: As ``turn(_:at:)`` does.
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
                        "all that is known of the fleet takes \(ByteText.text(bytes)), and a file begins with "
                        + "it: give --max-size \(least)M or more")
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
                description: "the disk with \(plan.path) is full: what was recorded can be read; free space, "
                    + "or keep less with --max-size and --keep")
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

    /// Moves each file on by one number; the last that is to be kept goes.
    private func setAside() throws {
        file = nil
        for number in stride(from: plan.keep - 2, through: 0, by: -1) {
            let old = RecordingPlan.path(plan.path, number: number)
            let new = RecordingPlan.path(plan.path, number: number + 1)
            guard rename(old, new) == 0 || errno == ENOENT else {
                throw RecordingFailure("set aside", old, errno: errno)
            }
        }
    }

    /// Enough of a file was read.
    private struct Recognized: Error {}

    /// Refuses to replace what is no recording.
    private static func expectOurs(_ path: String) throws {
        var scan = RecordingScan()
        do {
            _ = try GrowingFile.read(path) { block in
                try scan.take(block.prefix(64 * 1_024))
                throw Recognized()
            }
        } catch is Recognized {
            // It begins as a recording: that was all that was to be known.
        } catch let damage as RecordingDamage where damage == .notRecording {
            throw RecordingFailure(
                description: "\(path) is there already and is no recording: name another file, or remove it")
        } catch is RecordingDamage {
            // A recording all the same, to be set aside as it is.
        } catch let error as RuntimeError {
            throw RecordingFailure(error)
        }
    }
}
