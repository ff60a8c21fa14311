import ControllerCore
import FleetProtocol

/// Requests: the entries that controllers commit, and the messages that they send to nodes.
extension Ledger {
    mutating func recordCommits(on disk: Disk) {
        guard disk.hasNew else { return }
        let ofNewViewers = requestsOfNewViewers(on: disk)
        recordBatches(of: disk)
        for index in ofNewViewers {
            requests[index].isRevoked = !requests[index].isDispatched && requests[index].endedAt == nil
        }
        // Of one commit, the journal's part is first.
        for change in disk.newChanges {
            if case .service(let change) = change, change.service == QueueRecord.service { record(change) }
            accounts.stored(change, into: &findings)
        }
        disk.clearNew()
    }

    private mutating func recordBatches(of disk: Disk) {
        // The reader is outside the ledger while it reads, because each entry changes the ledger.
        var reader = BatchReader()
        swap(&reader, &self.reader)
        defer { swap(&reader, &self.reader) }
        for batch in disk.newBatches {
            do {
                try reader.read(batch[...]) { record($0) }
            } catch {
                violate("a batch cannot be read: \(error)")
            }
        }
    }

    mutating func record(_ entry: JournalEntry) {
        switch entry {
        case .admitted(let record): enter(record)
        case .dispatched(let record, let dispatch):
            let (index, identity) = (enter(record), dispatch.identity)
            requests[index].base = dispatch.base
            requests[index].isDispatched = true
            if requests[index].isRevoked {
                violate("\(requests.keys[index]) was dispatched after its user had become a viewer")
            }
            dispatched[identity, default: ()] = ()
            guard let device = devices.index(of: identity.device) else { return }
            if let other = devices[device].inFlight, other != index {
                let key = requests.keys[index]
                violate("\(key) was dispatched while \(requests.keys[other]) was in flight")
            }
            devices[device].inFlight = index
        case .cancelRequested(let account, let id):
            requests[Key(id: id, account: account), default: RequestHistory()].isCancelled = true
        case .ended(let account, let report, let content, _):
            let key = Key(id: report.requestID, account: account)
            if case .conflict(let state) = report.outcome { checkConflict(key, with: state, content) }
            end(key, report)
        case .horizonRaised, .segmentsRemoved, .segmentBegan, .storeReached: break
        }
    }

    /// Records an admission; returns the index of the request.
    @discardableResult
    private mutating func enter(_ record: RequestRecord) -> Int {
        let key = Key(id: record.requestID, account: record.account)
        let index = requests.index(of: key, default: RequestHistory())
        if requests[index].endedAt != nil { violate("\(key) continued after its end") }
        if requests[index].requestedAt == nil {
            violate("\(key) was admitted, and no client had requested it")
        }
        if let command = queuedCommands[key] { admitted(record, as: command) }
        (requests[index].deadline, requests[index].content) = (record.deadline, record.content)
        requests[index].user = record.user
        guard let device = devices.index(of: record.content.device), devices[device].owner == record.account
        else {
            violate("\(key) is about a foreign device")
            return index
        }
        if !devices[device].lane.contains(index) { devices[device].lane.append(index) }
        if devices[device].lane.count > Limits.laneRequests { violate("\(key) is one too many in its lane") }
        return index
    }

    /// The requests of users whom a commit makes viewers: each is dispatched by then, or never. Those that
    /// the same commit admits are left out: the user may have been a member again.
    private func requestsOfNewViewers(on disk: Disk) -> [Int] {
        let viewers = disk.newChanges.compactMap { change -> Email? in
            guard case .access(.roleChanged(let user)) = change, user.session.role == .viewer else {
                return nil
            }
            return user.session.email
        }
        guard !viewers.isEmpty else { return [] }
        return (0..<requests.count).filter { requests[$0].user.map(viewers.contains) ?? false }
    }

    /// A conflict is with a state that differs from the expected one or, without one, from the base of a
    /// toggle.
    private mutating func checkConflict(_ key: Key, with state: DeviceState, _ content: RequestContent?) {
        let base = content?.kind == .toggle ? requests[key]?.base : nil
        let isBaseless =
            if let expected = content?.expected {
                expected == state.expectation
            } else {
                base == nil || base == state.version
            }
        if isBaseless { violate("\(key) is in conflict with \(state), and nothing else was its base") }
    }

    private mutating func end(_ key: Key, _ report: OutcomeReport) {
        let index = requests.index(of: key, default: RequestHistory())
        // Outcomes are written again for new segments, and a request whose ID was cancelled before has the
        // outcome of the cancel.
        if let former = requests[index].committed {
            if former != report.outcome { violate("\(key) ended as \(former), and as \(report.outcome)") }
            return
        }
        time.event += 1
        (requests[index].endedAt, requests[index].endedIn) = (time.event, time.batch)
        requests[index].committed = report.outcome
        guard let device = report.device.flatMap({ devices.index(of: $0) }) else { return }
        devices[device].lane.removeAll { $0 == index }
        if devices[device].inFlight == index { devices[device].inFlight = nil }
    }

    mutating func sent(_ message: ControllerMessage, isNewest: Bool, at now: Moment) {
        switch message.body {
        case .pong, .pull, .fault, .claimsRefused, .heal, .scenario, .retire, .listFaults, .renew,
            .moved, .refused:
            break
        case .abort(let identity):
            seen.insert("abort")
            if !dispatched.contains(identity) { violate("\(identity) is aborted and was never dispatched") }
        case .command(let command), .configure(let command, _):
            guard let owner = owner(of: command.identity.device) else {
                return violate("a command to an unknown device")
            }
            let key = Key(id: command.identity.requestID, account: owner)
            if !dispatched.contains(command.identity) { violate("\(key) left before its journal entry") }
            // A superseded controller may still send; devices ignore its commands.
            guard isNewest else { return }
            guard let index = requests.index(of: key), let deadline = requests[index].deadline else {
                return violate("\(key) left and was never admitted")
            }
            if requests[index].isCancelled { violate("\(key) left after its cancel") }
            if let batch = requests[index].endedIn, batch != time.batch {
                violate("\(key) left after its end")
            }
            let spare = now.wall.advanced(by: command.timeToLive).duration(to: deadline)
            if command.timeToLive <= .zero || (spare < .milliseconds(-2) && !faults.wrongClocks) {
                violate("\(key) left with more time than it had: \(command.timeToLive), \(spare)")
            }
        }
    }
}
