import FleetProtocol

/// One command queue in progress: its commands, the running one among them, and its state. It knows requests
/// only by ID. Its owner submits the running command and reports its end.
struct QueueRun: Sendable {
    private(set) var report: QueueReport

    /// Starts a command queue with its first command running.
    init(_ id: RequestID, _ plan: QueuePlan, by author: Email, at now: WallTime) {
        report = QueueReport(
            id: id, plan: plan, author: author, startedAt: now, state: .running,
            progress: plan.commands.map { _ in .waiting })
        advance(at: now)
    }

    init(_ stored: QueueReport) { report = stored }

    var current: (command: QueueCommand, request: RequestID)? {
        for (command, progress) in zip(report.plan.commands, report.progress) {
            if case .running(let request) = progress { return (command, request) }
        }
        return nil
    }

    /// The approximate size in memory, in bytes.
    var bytes: Int {
        report.progress.reduce(report.plan.bytes) { bytes, progress in
            if case .ended(_, let end) = progress { bytes + end.explanation.utf8.count } else { bytes }
        }
    }

    /// Records the end of the running command; the next one may start.
    mutating func commandEnded(_ end: QueuedOutcome) {
        guard let place = report.current, case .running(let request) = report.progress[place] else {
            preconditionFailure("no command of queue \(report.id) runs")
        }
        report.progress[place] = .ended(request, end)
        advance(at: end.endedAt)
    }

    /// Applies a steering command; one that does not fit the state has no effect.
    mutating func steer(_ steering: QueueSteering, at now: WallTime) {
        switch (steering, report.state) {
        case (.pause, .running): report.state = .paused
        case (.resume, .paused): report.state = .running
        case (.stop, .running), (.stop, .paused): report.state = .stopping
        case (.cancel, .running), (.cancel, .paused), (.cancel, .stopping): report.state = .cancelling
        case (.pause, _), (.resume, _), (.stop, _), (.cancel, _): return
        }
        advance(at: now)
    }

    /// Ends each waiting command as forgotten if it may have run in a lost period; returns whether any was.
    /// The stored state does not show commands that ran then. A stopped or cancelled queue ran none.
    mutating func endLostTurns(lostUpTo lost: WallTime, at now: WallTime) -> Bool {
        guard report.state == .running || report.state == .paused, newestTurn <= lost,
            report.progress.contains(.waiting)
        else { return false }
        for place in report.progress.indices where report.progress[place] == .waiting {
            let request = RequestID(of: report.id, place: place, at: lost)
            report.progress[place] = .ended(request, QueuedOutcome(.forgotten, at: now))
        }
        advance(at: now)
        return true
    }

    private var newestTurn: WallTime {
        let turns = report.progress.compactMap { progress in
            switch progress {
            case .running(let request), .ended(let request, _): request.time
            case .waiting, .skipped: nil
            }
        }
        return turns.max() ?? report.startedAt
    }

    private mutating func advance(at now: WallTime) {
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
        let asItWent: QueueState = report.failedCount > 0 ? .failed : .done
        switch report.state {
        case .stopping: report.state = wasWhole ? asItWent : .stopped
        case .cancelling: report.state = wasWhole && asItWent == .done ? .done : .cancelled
        case .running, .paused: report.state = asItWent
        case .done, .failed, .stopped, .cancelled: preconditionFailure("a command queue ends once")
        }
        for place in report.progress.indices where report.progress[place] == .waiting {
            report.progress[place] = .skipped
        }
        report.endedAt = now
    }
}

extension RequestID {
    /// Creates the ID of a command's request from its start time, its place in the queue (counted from 1)
    /// and the random bits of the command queue.
    init(of commandQueue: RequestID, place: Int, at now: WallTime) {
        let milliseconds = UInt64(max(0, now.unixMilliseconds)) & 0xffff_ffff_ffff
        self.init(high: milliseconds << 16 | 0x7000 | UInt64(place + 1) & 0x0fff, low: commandQueue.low)
    }
}

extension QueuedOutcome {
    /// Creates the end of a command from the final outcome of its request.
    init(of outcome: Outcome, at now: WallTime) {
        switch outcome {
        case .applied: self.init(.applied, at: now)
        case .unchanged: self.init(.unchanged, at: now)
        case .conflict: self.init(.conflict, "the device changed before the command reached it", at: now)
        case .rejected(let why): self.init(.rejected, why, at: now)
        case .cancelled: self.init(.cancelled, at: now)
        case .expired: self.init(.expired, "the deadline passed before the device executed it", at: now)
        case .undetermined(let reason): self.init(.undetermined, reason.why, at: now)
        case .unknown: preconditionFailure("an unknown outcome is not final")
        }
    }

    /// The end of a command whose request ID was already in use; nothing was done.
    static func idInUse(at now: WallTime) -> QueuedOutcome {
        QueuedOutcome(.refused, "idMismatch: its request ID belongs to another request", at: now)
    }
}

extension Refusal {
    /// The time after which a retry may succeed; nil if the refusal is permanent.
    var pause: Duration? {
        switch self {
        case .busy(let pause), .storageFull(let pause): pause
        case .offline: Limits.beatInterval
        case .unauthenticated, .notFound, .invalid, .idMismatch, .idTooOld, .notAllowed, .offDuty, .moved:
            nil
        }
    }

    /// The refusal's name and its meaning for a command of a queue.
    var why: String {
        switch self {
        case .offline: "\(name): the device was unreachable"
        case .busy: "\(name): the device had other commands to execute"
        case .storageFull: "\(name): the controller's disk was full"
        case .notFound: "\(name): the device has left the account"
        case .invalid(let what), .notAllowed(let what): "\(name): \(what)"
        case .unauthenticated, .idMismatch, .idTooOld, .offDuty, .moved: name
        }
    }
}
