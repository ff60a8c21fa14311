import FleetProtocol

/// What the controller says to clients and observers.
extension Ledger {
    mutating func note(_ update: StreamUpdate, of account: AccountID) {
        let stream = Stream(epoch: update.epoch, account: account)
        let last = sequences[stream] ?? .zero
        let expected = update.body == .beat ? last : last.next
        if update.sequence != expected { violate("stream of \(account): \(update.sequence) after \(last)") }
        sequences[stream] = update.sequence
        switch update.body {
        case .beat, .node, .group: break
        case .reported(let device, _, _), .connection(let device, _), .settings(let device, _):
            if owners[device] != account { violate("\(account) hears of the foreign \(device)") }
        case .reports(let devices):
            for device in devices where owners[device.device] != account {
                violate("\(account) hears of the foreign \(device.device)")
            }
        case .removed(let device):
            if owners[device] != account { violate("\(account) hears of the foreign \(device)") }
            shown.remove(device)
        case .added(let row):
            if owners[row.device] != account { violate("\(account) hears of the foreign \(row.device)") }
            shown.insert(row.device)
        case .outcome(let report): hear(report, in: account)
        case .measured(let devices):
            for device in devices where owners[device.device] != account {
                violate("\(account) hears of the foreign \(device.device)")
            }
        }
    }

    mutating func note(_ reply: ClientReply, to account: AccountID, from life: Int, isNewest: Bool) {
        unanswered[life, default: [:]][reply.correlation, default: 0] -= 1
        if unanswered[life]?[reply.correlation] ?? 0 < 0 {
            violate("\(reply.correlation) has a second reply")
        }
        switch reply.body {
        case .outcome(let report):
            // One that was overtaken does not know of an end, and says only that.
            if isNewest || report.outcome.isFinal { hear(report, in: account) }
        case .cancel(let id, .cancelled): hear(.cancelled, of: Key(account: account, id: id))
        case .cancel(_, .tooLate(let report)):
            seen.insert("tooLate")
            hear(report, in: account)
        case .cancel(let id, .pending):
            seen.insert("cancelPending")
            // As above: to one that was overtaken it is.
            let final = stories[Key(account: account, id: id)]?.final
            if isNewest, final != nil { violate("\(id) is pending after its end") }
        case .refusal(let refusal):
            hear(refusal, of: named[reply.correlation], in: account, isNewest: isNewest)
        case .snapshot, .status, .session, .signedOut, .injected, .userAdded, .users, .userRemoved,
            .passwordChanged, .carriedOut, .keyAdded, .keys, .keyRevoked, .who, .history,
            .counters, .posts, .post, .comments, .comment, .authors:
            break
        }
    }

    /// A device that was shown to its account is there, however long its node is away.
    private mutating func hear(
        _ refusal: Refusal, of device: DeviceID?, in account: AccountID, isNewest: Bool
    ) {
        seen.insert(refusal.name)
        if refusal == .offline(lastSeen: nil) { seen.insert("awaited") }
        guard let device, refusal == .notFound, isNewest, owners[device] == account else { return }
        if shown.contains(device) { violate("\(account) is told that there is no \(device)") }
    }

    mutating func hear(_ report: OutcomeReport, in account: AccountID) {
        let key = Key(account: account, id: report.requestID)
        if let device = report.device, owners[device] != account {
            violate("\(key) tells of a foreign device")
        }
        hear(report.outcome, of: key)
    }

    mutating func hear(_ outcome: Outcome, of key: Key) {
        seen.insert(outcome.name)
        var story = stories[key] ?? Story()
        if let known = story.final, known != outcome { violate("\(key) was \(known) and is \(outcome)") }
        guard outcome.isFinal else { return }
        if story.endedAs != outcome {
            let kept = story.endedAs.map { "\($0)" } ?? "nothing"
            violate("\(key) is \(outcome), and was kept as \(kept)")
        }
        story.final = outcome
        stories[key] = story
    }
}
