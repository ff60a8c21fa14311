import ControllerCore
import FleetProtocol

/// Command queues: their committed reports, the replies about them, and the requests of their commands.
extension Ledger {
    /// The queues that have not ended, with their states.
    var openCommandQueues: [(key: Key, state: QueueState)] {
        (0..<commandQueues.count).compactMap { index in
            guard let state = commandQueues[index].reports.last?.state, !state.isFinal else { return nil }
            return (commandQueues.keys[index], state)
        }
    }

    mutating func requested(_ plan: QueuePlan, as key: Key) {
        let index = commandQueues.index(of: key, default: CommandQueueHistory())
        if !commandQueues[index].plans.contains(plan) { commandQueues[index].plans.append(plan) }
    }

    mutating func record(_ change: ServiceRecord) {
        guard let value = change.value else {
            let key = commandQueues.keys.first { key in
                key.account == change.account && QueueRecord.key(of: key.id).bytes == change.key
            }
            if key.flatMap({ commandQueues[$0]?.reports.last?.state.isFinal }) != true {
                violate("\(change.account) removes a queue before its end")
            }
            return
        }
        guard case .report(let report)? = try? QueueRecord(wireBytes: value) else { return }
        record(report, in: change.account)
    }

    private mutating func record(_ report: QueueReport, in account: AccountID) {
        let key = Key(id: report.id, account: account)
        let index = commandQueues.index(of: key, default: CommandQueueHistory())
        if !commandQueues[index].plans.contains(report.plan) {
            violate("\(key) is stored with a plan that no client sent")
        }
        if let before = commandQueues[index].reports.last {
            var ends: [(Int, RequestID, QueuedOutcome)] = []
            for what in report.violations(after: before, ends: { ends.append(($0, $1, $2)) }) {
                violate("\(key) \(what)")
            }
            for (command, id, end) in ends { check(key, command, id, end) }
        } else if report.progress.contains(where: \.hasEnded) {
            violate("\(key) has ended commands when it is first stored")
        }
        commandQueues[index].reports.append(report)
        guard let command = report.current, case .running(let id) = report.progress[command] else { return }
        if report.progress.prefix(command).contains(where: { !$0.hasEnded }) {
            violate("\(key) is at command \(command + 1) before an earlier one has ended")
        }
        let request = Key(id: id, account: account)
        _ = queuedCommands.index(of: request, default: QueuedCommand(queue: index, command: command))
        requested(request)
    }

    /// Checks that a command ended as its request did; a refused command has no request.
    private mutating func check(_ key: Key, _ command: Int, _ id: RequestID, _ end: QueuedOutcome) {
        let request = requests[Key(id: id, account: key.account)]
        let isRight =
            switch end.kind {
            case .applied, .unchanged, .conflict, .rejected, .expired, .undetermined:
                request?.committed?.name == end.kind.name
            case .cancelled: request?.content == nil || request?.committed?.name == end.kind.name
            case .refused: request?.content == nil
            case .forgotten: faults.shortRetention
            }
        guard !isRight else { return }
        let ended = request?.committed.map { "\($0)" } ?? "open, or was never admitted"
        violate("command \(command + 1) of \(key) is \(end.kind), and its request is \(ended)")
    }

    mutating func admitted(_ record: RequestRecord, as place: QueuedCommand) {
        let (key, number) = (commandQueues.keys[place.queue], place.command)
        if let other = commandQueues[place.queue].admitted[number], other != record.requestID {
            violate("command \(number + 1) of \(key) was admitted as \(other) and as \(record.requestID)")
        }
        commandQueues[place.queue].admitted[number] = record.requestID
        guard let command = commandQueues[place.queue].reports.last?.plan.commands[number] else { return }
        if record.content.device != command.device || record.content.kind != command.kind {
            violate("command \(number + 1) of \(key) was admitted as something else: \(record.content)")
        }
    }

    mutating func replied(_ reply: QueueReply, to account: AccountID) {
        switch reply {
        case .report(let report):
            let key = Key(id: report.id, account: account)
            findings.queueStates.insert(report.state)
            if commandQueues[key]?.reports.contains(report) != true {
                violate("\(account) receives a report of \(key) that was never stored: \(report)")
            }
        case .list(let list):
            for summary in list.queues {
                let key = Key(id: summary.id, account: account)
                if commandQueues[key]?.reports.contains(where: { $0.summary == summary }) != true {
                    violate("\(account) receives a report of \(key) that was never stored: \(summary)")
                }
            }
        }
    }

    mutating func closeCommandQueues() {
        for index in 0..<commandQueues.count {
            guard let report = commandQueues[index].reports.last else { continue }
            findings.queueStates.insert(report.state)
            if !report.state.isFinal {
                violate("\(commandQueues.keys[index]) is \(report.state) and never ended: \(report.progress)")
            }
        }
    }
}

struct CommandQueueHistory {
    /// The plans with which clients have started it.
    var plans: [QueuePlan] = []
    /// Its reports as committed, the first one first.
    var reports: [QueueReport] = []
    var admitted: [Int: RequestID] = [:]
}

/// A command of a queue: the index of the queue's history, and of the command, from 0.
struct QueuedCommand {
    let queue: Int
    let command: Int
}

extension QueueReport {
    /// Why a report cannot follow another as far as the states of commands go; empty if it can. A command
    /// waits, runs as one request, and ends once, or is left out. An ended command never changes. `ends`
    /// receives each command that has ended since.
    func violations(after before: QueueReport, ends: (Int, RequestID, QueuedOutcome) -> Void) -> [String] {
        if before.state.isFinal { return ["changed after its end"] }
        var found: [String] = []
        for (index, pair) in zip(before.progress, progress).enumerated() {
            switch pair {
            case (.waiting, .waiting), (.waiting, .running), (.waiting, .skipped), (.skipped, .skipped): break
            case (.running(let id), .running(let same)) where id == same: break
            case (.running(let id), .ended(let same, let end)) where id == same: ends(index, id, end)
            case (.ended(let id, let end), .ended(let same, let still)) where id == same && end == still:
                break
            default: found.append("has command \(index + 1) \(pair.1) after \(pair.0)")
            }
        }
        return found
    }
}

extension QueueProgress {
    var hasEnded: Bool { if case .ended = self { true } else { false } }
}
