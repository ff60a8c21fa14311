public import FleetProtocol
import Records
import Stepping

/// One sequence on its way: which command's turn it is, and how all of it ends.
///
/// It knows nothing of requests but their ids: whoever holds it has the command whose turn it is carried out,
/// and tells it the end.
struct SequenceRun: Sendable {
    /// How it stands.
    private(set) var report: SequenceReport

    /// A sequence that begins now: it is the first command's turn.
    init(_ id: RequestID, _ plan: SequencePlan, by author: Email, at now: WallTime) {
        report = SequenceReport(
            id: id, plan: plan, author: author, startedAt: now, state: .running,
            progress: plan.commands.map { _ in .waiting })
        goOn(at: now)
    }

    /// One that an earlier life of the controller has kept.
    init(_ kept: SequenceReport) {
        report = kept
    }

    /// The command whose turn it is, and the request that it is; nil where none runs.
    var current: (command: SequenceCommand, request: RequestID)? {
        for (command, progress) in zip(report.plan.commands, report.progress) {
            if case .running(let request) = progress { return (command, request) }
        }
        return nil
    }

    /// What it takes in memory, give or take a few bytes.
    var bytes: Int {
        report.progress.reduce(report.plan.bytes) { bytes, progress in
            if case .ended(_, let end) = progress { bytes + end.explanation.utf8.count } else { bytes }
        }
    }

    /// The command whose turn it was has ended; the next one's may come.
    ///
    /// - Precondition: One runs.
    mutating func commandEnded(_ end: SequenceEnd) {
        guard let place = report.current, case .running(let request) = report.progress[place] else {
            preconditionFailure("no command of sequence \(report.id) runs")
        }
        report.progress[place] = .ended(request, end)
        goOn(at: end.endedAt)
    }

    /// Somebody steers it; one that has ended stays as it is, and what was stopped does not go on.
    mutating func steer(_ steering: SequenceSteering, at now: WallTime) {
        switch (steering, report.state) {
        case (.pause, .running): report.state = .paused
        case (.resume, .paused): report.state = .running
        case (.stop, .running), (.stop, .paused): report.state = .stopping
        case (.cancel, .running), (.cancel, .paused), (.cancel, .stopping): report.state = .cancelling
        case (.pause, _), (.resume, _), (.stop, _), (.cancel, _): return
        }
        goOn(at: now)
    }

    /// Ends each waiting command as forgotten, if its turn may have come in a lost time.
    ///
    /// The command that runs, or ran last, does not say how far the sequence went after that. A stopped or
    /// cancelled sequence went no farther.
    ///
    /// - Parameter lost: When the lost time ended.
    /// - Returns: Whether a command waited.
    mutating func forgetTurns(lostUpTo lost: WallTime, at now: WallTime) -> Bool {
        guard report.state == .running || report.state == .paused, newestTurn <= lost,
            report.progress.contains(.waiting)
        else { return false }
        for place in report.progress.indices where report.progress[place] == .waiting {
            let request = RequestID(of: report.id, place: place, at: lost)
            report.progress[place] = .ended(request, SequenceEnd(.forgotten, at: now))
        }
        goOn(at: now)
        return true
    }

    /// When the newest command had its turn.
    private var newestTurn: WallTime {
        let turns = report.progress.compactMap { progress in
            switch progress {
            case .running(let request), .ended(let request, _): request.time
            case .waiting, .leftOut: nil
            }
        }
        return turns.max() ?? report.startedAt
    }

    /// The command whose turn it is is another request from now on: a planted mistake.
    mutating func takeTurnAgain(at now: WallTime) {
        guard let place = report.current else { return }
        report.progress[place] = .running(RequestID(of: report.id, place: place, at: now))
    }

    /// Where no command runs: it is the next one's turn, or all has ended.
    private mutating func goOn(at now: WallTime) {
        guard !report.state.isFinal, report.current == nil else { return }
        let next = report.progress.firstIndex(of: .waiting)
        let isOver = next == nil || report.failedCount > 0 && report.plan.onFailure == .stop
        switch report.state {
        case .running:
            guard !isOver, let next else { return finish(at: now) }
            report.progress[next] = .running(RequestID(of: report.id, place: next, at: now))
        case .paused: if isOver { finish(at: now) }
        case .stopping, .cancelling: finish(at: now)
        case .done, .failed, .stopped, .cancelled: break
        }
    }

    private mutating func finish(at now: WallTime) {
        let wasWhole = !report.progress.contains(.waiting)
        let asItWent: SequenceState = report.failedCount > 0 ? .failed : .done
        switch report.state {
        case .stopping: report.state = wasWhole ? asItWent : .stopped
        case .cancelling: report.state = wasWhole && asItWent == .done ? .done : .cancelled
        case .running, .paused: report.state = asItWent
        case .done, .failed, .stopped, .cancelled: preconditionFailure("a sequence ends once")
        }
        for place in report.progress.indices where report.progress[place] == .waiting {
            report.progress[place] = .leftOut
        }
        report.endedAt = now
    }
}

extension RequestID {
    /// The request that a command of a sequence is: made when its turn comes, so that it is as young as any
    /// other, and with its place, from 1, and the random bits of its sequence in it.
    init(of sequence: RequestID, place: Int, at now: WallTime) {
        let milliseconds = UInt64(max(0, now.unixMilliseconds)) & 0xffff_ffff_ffff
        self.init(high: milliseconds << 16 | 0x7000 | UInt64(place + 1) & 0x0fff, low: sequence.low)
    }
}

extension SequenceEnd {
    /// How a command ended whose request ended so.
    ///
    /// - Precondition: The outcome is final.
    init(of outcome: Outcome, at now: WallTime) {
        switch outcome {
        case .applied: self.init(.applied, at: now)
        case .unchanged: self.init(.unchanged, at: now)
        case .conflict: self.init(.conflict, "the device was changed meanwhile", at: now)
        case .rejected(let why): self.init(.rejected, why, at: now)
        case .cancelled: self.init(.cancelled, at: now)
        case .expired: self.init(.expired, "its time was over before the device had done it", at: now)
        case .undetermined(let reason): self.init(.undetermined, reason.why, at: now)
        case .unknown: preconditionFailure("unknown is no end")
        }
    }

    /// Its request's id was somebody else's; nothing was done.
    static func taken(at now: WallTime) -> SequenceEnd {
        SequenceEnd(.refused, "idMismatch: its request id was used for something else", at: now)
    }
}

extension Refusal {
    /// After what time it may be another; nil where it stays.
    var pause: Duration? {
        switch self {
        case .busy(let pause), .storageFull(let pause): pause
        case .offline: Limits.beatInterval
        case .unauthenticated, .notFound, .invalid, .idMismatch, .idTooOld, .notAllowed, .offDuty: nil
        }
    }

    /// Its word, and what it means for a command of a sequence.
    var why: String {
        switch self {
        case .offline: "\(name): the device could not be reached"
        case .busy: "\(name): the device had other commands to carry out"
        case .storageFull: "\(name): the controller's disk was full"
        case .notFound: "\(name): the account has no such device any more"
        case .invalid(let what), .notAllowed(let what): "\(name): \(what)"
        case .unauthenticated, .idMismatch, .idTooOld, .offDuty: name
        }
    }
}

extension SequenceReport {
    /// The sequence that was kept as those bytes; nil where they are none.
    public init?(kept bytes: [UInt8]) {
        do throws(RecordError) {
            self = try RecordReader.read(SequenceReport.self, from: bytes)
        } catch {
            return nil
        }
    }

    /// It as it is kept, in form number 1.
    public var keptBytes: [UInt8] {
        var writer = RecordWriter()
        write(to: &writer)
        return writer.bytes
    }
}
