import FleetProtocol

/// What the controller says to clients and observers.
extension Ledger {
    mutating func note(_ update: StreamUpdate, of account: AccountID) {
        let stream = Stream(epoch: update.epoch, account: account)
        let place = streams.place(of: stream, default: .zero)
        let last = streams[place]
        let expected = if case .beat = update.body { last } else { last.next }
        if update.sequence != expected { violate("stream of \(account): \(update.sequence) after \(last)") }
        streams[place] = update.sequence
        switch update.body {
        case .beat, .node, .group, .service: break
        case .reported(let device, _, _), .connection(let device, _), .settings(let device, _):
            if owner(of: device) != account { violate("\(account) hears of the foreign \(device)") }
        case .reports(let devices):
            for device in devices where owner(of: device.device) != account {
                violate("\(account) hears of the foreign \(device.device)")
            }
        case .removed(let device):
            if owner(of: device) != account { violate("\(account) hears of the foreign \(device)") }
            show(device, false)
        case .added(let row):
            if owner(of: row.device) != account { violate("\(account) hears of the foreign \(row.device)") }
            show(row.device, true)
        case .outcome(let report): hear(report, in: account)
        case .measured(let devices):
            for device in devices where owner(of: device.device) != account {
                violate("\(account) hears of the foreign \(device.device)")
            }
        }
    }

    private mutating func show(_ device: DeviceID, _ isShown: Bool) {
        if let place = devices.place(of: device) { devices[place].isShown = isShown }
    }

    mutating func note(_ reply: ClientReply, to account: AccountID, from life: Int, isNewest: Bool) {
        let question = questions.place(of: reply.correlation, default: Question(life: life))
        questions[question].balance -= 1
        if questions[question].balance < 0 { violate("\(reply.correlation) has a second reply") }
        switch reply.body {
        case .outcome(let report):
            // One that was overtaken does not know of an end, and says only that.
            if isNewest || report.outcome.isFinal { hear(report, in: account) }
        case .cancel(let id, .cancelled): hear(.cancelled, of: Key(id: id, account: account))
        case .cancel(_, .tooLate(let report)):
            seen.insert("tooLate")
            hear(report, in: account)
        case .cancel(let id, .pending):
            seen.insert("cancelPending")
            // As above: to one that was overtaken it is.
            let final = stories[Key(id: id, account: account)]?.final
            if isNewest, final != nil { violate("\(id) is pending after its end") }
        case .refusal(let refusal):
            hear(refusal, of: questions[question].device, in: account, isNewest: isNewest)
        case .snapshot, .status, .session, .signedOut, .injected, .userAdded, .users, .userRemoved,
            .passwordChanged, .userChanged, .carriedOut, .faults, .keyAdded, .keys, .keyRevoked, .who,
            .history,
            .counters, .wayIn,
            .streamTicket:
            break
        case .service(let message):
            if let reply = try? message.reply(to: SequenceRequest.self) { hear(reply, in: account) }
        }
    }

    /// A device that was shown to its account is there, however long its node is away.
    private mutating func hear(
        _ refusal: Refusal, of device: DeviceID?, in account: AccountID, isNewest: Bool
    ) {
        seen.insert(refusal.name)
        if refusal == .offline(lastSeen: nil) { seen.insert("awaited") }
        guard let device, refusal == .notFound, isNewest, owner(of: device) == account else { return }
        if devices[device]?.isShown == true { violate("\(account) is told that there is no \(device)") }
    }

    mutating func hear(_ report: OutcomeReport, in account: AccountID) {
        let key = Key(id: report.requestID, account: account)
        if let device = report.device, owner(of: device) != account {
            violate("\(key) tells of a foreign device")
        }
        hear(report.outcome, of: key)
    }

    mutating func hear(_ outcome: Outcome, of key: Key) {
        let place = stories.place(of: key, default: Story())
        let known = stories[place].final
        if known != outcome {
            seen.insert(outcome.name)
            if let known { violate("\(key) was \(known) and is \(outcome)") }
        }
        guard outcome.isFinal else { return }
        if stories[place].endedAs != outcome {
            let kept = stories[place].endedAs.map { "\($0)" } ?? "nothing"
            violate("\(key) is \(outcome), and was kept as \(kept)")
        }
        stories[place].final = outcome
    }
}
