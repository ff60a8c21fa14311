import FleetProtocol

/// Replies to clients, and updates for observers.
extension Ledger {
    mutating func published(_ update: StreamUpdate, to account: AccountID) {
        let stream = Stream(epoch: update.epoch, account: account)
        let index = streams.index(of: stream, default: .zero)
        let last = streams[index]
        let expected = if case .beat = update.body { last } else { last.next }
        if update.sequence != expected { violate("stream of \(account): \(update.sequence) after \(last)") }
        streams[index] = update.sequence
        switch update.body {
        case .beat, .node, .group, .service: break
        case .reported(let device, _, _), .connection(let device, _), .settings(let device, _):
            checkOwner(of: device, account)
        case .reports(let devices): for device in devices { checkOwner(of: device.device, account) }
        case .measured(let devices): for device in devices { checkOwner(of: device.device, account) }
        case .removed(let device): show(device, false, to: account)
        case .added(let row): show(row.device, true, to: account)
        case .outcome(let report): sent(report, to: account)
        }
    }

    private mutating func checkOwner(of device: DeviceID, _ account: AccountID) {
        if owner(of: device) != account { violate("\(account) receives the foreign \(device)") }
    }

    private mutating func show(_ device: DeviceID, _ isShown: Bool, to account: AccountID) {
        checkOwner(of: device, account)
        if let index = devices.index(of: device) { devices[index].isShown = isShown }
    }

    /// Records that a reply to a client leaves a controller process, with its content if it is that of a
    /// service.
    mutating func replied(
        _ reply: ClientReply, _ content: ClientReply.Body.Decoded?, to account: AccountID, by controller: Int,
        isNewest: Bool
    ) {
        let device = exchanges.replied(reply.correlation, by: controller, &findings)
        checkDevices(of: reply.body, account)
        switch reply.body {
        case .outcome(let report):
            // A superseded controller may not know the end, and reports only that.
            if isNewest || report.outcome.isFinal { sent(report, to: account) }
        case .cancel(let id, .cancelled): sent(.cancelled, of: Key(id: id, account: account))
        case .cancel(_, .tooLate(let report)):
            seen.insert("tooLate")
            sent(report, to: account)
        case .cancel(let id, .pending):
            seen.insert("cancelPending")
            let sent = requests[Key(id: id, account: account)]?.sent
            if isNewest, sent != nil { violate("\(id) is pending after its end") }
        case .refusal(let refusal): refused(refusal, device, in: account, isNewest: isNewest)
        case .service: if case .commandQueues(let reply)? = content { replied(reply, to: account) }
        default: break
        }
    }

    /// Invariant: a snapshot and a history contain only devices of their account.
    mutating func checkDevices(of body: ClientReply.Body, _ account: AccountID) {
        switch body {
        case .snapshot(let chunk): for row in chunk.rows { checkOwner(of: row.device, account) }
        case .history(let chunk):
            for device in chunk.outcomes.compactMap(\.report.device) { checkOwner(of: device, account) }
        default: break
        }
    }

    /// Invariant: a device that was shown to its account exists, even while its node is offline.
    private mutating func refused(
        _ refusal: Refusal, _ device: DeviceID?, in account: AccountID, isNewest: Bool
    ) {
        seen.insert(refusal.name)
        if refusal == .offline(lastSeen: nil) { seen.insert("awaited") }
        guard let device, refusal == .notFound, isNewest, owner(of: device) == account else { return }
        if devices[device]?.isShown == true { violate("\(account) is refused \(device) as not existing") }
    }

    private mutating func sent(_ report: OutcomeReport, to account: AccountID) {
        let key = Key(id: report.requestID, account: account)
        if let device = report.device { checkOwner(of: device, account) }
        sent(report.outcome, of: key)
    }

    private mutating func sent(_ outcome: Outcome, of key: Key) {
        let index = requests.index(of: key, default: RequestHistory())
        let isRepeat = requests[index].sent == outcome
        if !isRepeat {
            seen.insert(outcome.name)
            if let known = requests[index].sent { violate("\(key) was \(known) and is \(outcome)") }
        }
        guard outcome.isFinal else { return }
        if requests[index].committed != outcome {
            let committed = requests[index].committed.map { "\($0)" } ?? "nothing"
            violate("\(key) is \(outcome), and \(committed) is committed")
        }
        if !isRepeat { requests[index].sent = outcome }
    }
}
