import ControllerCore
import FleetProtocol
import FleetTime

/// What is kept of sequences, what is told of them, and what became of their commands.
extension Ledger {
    /// All that is known of one sequence.
    struct SequenceStory {
        /// The plans under which it was asked for.
        var plans: [SequencePlan] = []
        /// How it stood, from the first time on that it was kept.
        var states: [SequenceReport] = []
        /// The request that each command was let in as.
        var letIn: [Int: RequestID] = [:]
    }

    /// A command of a sequence: where its story is, and which one it is, from 0.
    struct SequencePlace {
        let story: Int
        let command: Int
    }

    /// Those that have not ended, and how they stand.
    var openSequences: [(key: Key, state: SequenceState)] {
        (0..<sequences.count).compactMap { place in
            guard let state = sequences[place].states.last?.state, !state.isFinal else { return nil }
            return (sequences.keys[place], state)
        }
    }

    /// The devices of an account.
    func devices(of account: AccountID) -> [DeviceID] {
        (0..<devices.count).filter { devices[$0].owner == account }.map { devices.keys[$0] }
    }

    mutating func asked(_ plan: SequencePlan, as key: Key) {
        let place = sequences.place(of: key, default: SequenceStory())
        if !sequences[place].plans.contains(plan) { sequences[place].plans.append(plan) }
    }

    mutating func note(_ entry: SequenceEntry) {
        switch entry {
        case .stands(let account, let report): stands(report, in: account)
        case .forgotten(let account, let ids, _):
            for id in ids {
                let key = Key(id: id, account: account)
                if sequences[key]?.states.last?.state.isFinal != true {
                    violate("\(key) is forgotten, and has not ended")
                }
            }
        }
    }

    private mutating func stands(_ report: SequenceReport, in account: AccountID) {
        let key = Key(id: report.id, account: account)
        let place = sequences.place(of: key, default: SequenceStory())
        if !sequences[place].plans.contains(report.plan) { violate("\(key) is kept as nobody asked for it") }
        if let before = sequences[place].states.last {
            check(key, from: before, to: report)
        } else if report.progress.contains(where: \.hasEnded) {
            violate("\(key) has ended commands when it is first kept")
        }
        sequences[place].states.append(report)
        guard let command = report.current, case .running(let id) = report.progress[command] else { return }
        if report.progress.prefix(command).contains(where: { !$0.hasEnded }) {
            violate("\(key) is at command \(command + 1), and one before it has not ended")
        }
        let request = Key(id: id, account: account)
        _ = commands.place(of: request, default: SequencePlace(story: place, command: command))
        asked(request)
    }

    /// A command waits, runs as one request, and ends once, or is left out; what has ended stays.
    private mutating func check(_ key: Key, from before: SequenceReport, to after: SequenceReport) {
        if before.state.isFinal { return violate("\(key) went on after its end") }
        for (place, pair) in zip(before.progress, after.progress).enumerated() {
            switch pair {
            case (.waiting, .waiting), (.waiting, .running), (.waiting, .leftOut), (.leftOut, .leftOut): break
            case (.running(let id), .running(let same)) where id == same: break
            case (.running(let id), .ended(let same, let end)) where id == same: check(key, place, id, end)
            case (.ended(let id, let end), .ended(let same, let still)) where id == same && end == still:
                break
            default: violate("command \(place + 1) of \(key) was \(pair.0) and is \(pair.1)")
            }
        }
    }

    /// A command has ended as its request has; where it was not let in, it has not.
    private mutating func check(_ key: Key, _ place: Int, _ id: RequestID, _ end: SequenceEnd) {
        let story = stories[Key(id: id, account: key.account)]
        let isRight =
            switch end.kind {
            case .applied, .unchanged, .conflict, .rejected, .expired, .undetermined:
                story?.endedAs?.name == end.kind.name
            case .cancelled: story?.content == nil || story?.endedAs?.name == end.kind.name
            case .refused: story?.content == nil
            case .forgotten: forgetsSoon
            }
        guard !isRight else { return }
        let ended = story?.endedAs.map { "\($0)" } ?? "open, or never let in"
        violate("command \(place + 1) of \(key) is \(end.kind), and its request is \(ended)")
    }

    /// A request is a command of a sequence: it is that command, and no other request is.
    mutating func letIn(_ record: RequestRecord, as place: SequencePlace) {
        let (key, number) = (sequences.keys[place.story], place.command)
        if let other = sequences[place.story].letIn[number], other != record.requestID {
            violate("command \(number + 1) of \(key) was let in as \(other), and as \(record.requestID)")
        }
        sequences[place.story].letIn[number] = record.requestID
        guard let command = sequences[place.story].states.last?.plan.commands[number] else { return }
        if record.content.device != command.device || record.content.kind != command.kind {
            violate("command \(number + 1) of \(key) was let in as something else: \(record.content)")
        }
    }

    mutating func hear(_ reply: SequenceReply, in account: AccountID) {
        switch reply {
        case .report(let report):
            let key = Key(id: report.id, account: account)
            seen.insert("sequence \(report.state)")
            if sequences[key]?.states.contains(report) != true {
                violate("\(account) is told of \(key) what was never kept: \(report)")
            }
        case .list(let list):
            for summary in list.sequences {
                let key = Key(id: summary.id, account: account)
                if sequences[key]?.states.contains(where: { $0.summary == summary }) != true {
                    violate("\(account) is told of \(key) what was never kept: \(summary)")
                }
            }
        }
    }

    /// All have ended when all is over.
    mutating func closeSequences() {
        for place in 0..<sequences.count {
            guard let report = sequences[place].states.last else { continue }
            seen.insert("sequence \(report.state)")
            if !report.state.isFinal {
                violate("\(sequences.keys[place]) is \(report.state) and has never ended: \(report.progress)")
            }
        }
    }
}

extension SequenceProgress {
    fileprivate var hasEnded: Bool { if case .ended = self { true } else { false } }
}
