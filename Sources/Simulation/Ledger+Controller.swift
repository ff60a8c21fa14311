import ControllerCore
import FleetProtocol
import FleetTime

/// What the controller keeps, and what it tells nodes.
extension Ledger {
    /// A life of the controller begins to keep what it has decided.
    mutating func batchBegins() {
        batches += 1
    }

    /// Batches are on the disk that were not before.
    mutating func noteKept(on disk: Disk) {
        noteBatches(on: disk)
        // Of what is kept together the journal comes first.
        for entry in disk.keptSequences { note(entry) }
        disk.keptSequences.removeAll(keepingCapacity: true)
    }

    private mutating func noteBatches(on disk: Disk) {
        guard !disk.kept.isEmpty else { return }
        // Not in its place while it reads: what it reads changes all the rest.
        var reader = BatchReader()
        swap(&reader, &self.reader)
        defer { swap(&reader, &self.reader) }
        for batch in disk.kept {
            do {
                try reader.read(batch[...]) { note($0) }
            } catch {
                violate("a batch that cannot be read: \(error)")
            }
        }
        disk.kept.removeAll(keepingCapacity: true)
    }

    mutating func note(_ entry: JournalEntry) {
        switch entry {
        case .admitted(let record): enter(record)
        case .dispatched(let record, let dispatch):
            let (place, identity) = (enter(record), dispatch.identity)
            stories[place].base = dispatch.base
            dispatched[identity, default: ()] = ()
            guard let device = devices.place(of: identity.device) else { return }
            if let other = devices[device].inFlight, other != place {
                let key = stories.keys[place]
                violate("\(key) was dispatched while \(stories.keys[other]) was in flight")
            }
            devices[device].inFlight = place
        case .cancelRequested(let account, let id):
            stories[Key(id: id, account: account), default: Story()].isCancelled = true
        case .ended(let account, let report, let content, _):
            let key = Key(id: report.requestID, account: account)
            if case .conflict(let state) = report.outcome { checkConflict(key, with: state, content) }
            end(key, report)
        case .horizonRaised, .segmentsForgotten, .segmentBegan: break
        }
    }

    /// Enters a request, and says where its story is.
    @discardableResult
    private mutating func enter(_ record: RequestRecord) -> Int {
        let key = Key(id: record.requestID, account: record.account)
        let place = stories.place(of: key, default: Story())
        if stories[place].endedAt != nil { violate("\(key) went on after its end") }
        if stories[place].askedAt == nil { violate("\(key) was let in, and nobody had asked for it") }
        if let command = commands[key] { letIn(record, as: command) }
        (stories[place].deadline, stories[place].content) = (record.deadline, record.content)
        guard let device = devices.place(of: record.content.device), devices[device].owner == record.account
        else {
            violate("\(key) is about a foreign device")
            return place
        }
        if !devices[device].lane.contains(place) { devices[device].lane.append(place) }
        if devices[device].lane.count > Limits.laneRequests { violate("\(key) is one too many in its lane") }
        return place
    }

    /// A conflict is with what somebody named or, where nobody did, with what a toggle was resolved from.
    private mutating func checkConflict(_ key: Key, with state: DeviceState, _ content: RequestContent?) {
        let base = content?.kind == .toggle ? stories[key]?.base : nil
        let isBaseless =
            if let expected = content?.expected {
                expected == state.expectation
            } else {
                base == nil || base == state.version
            }
        if isBaseless { violate("\(key) is in conflict with \(state), and nothing else was its base") }
    }

    private mutating func end(_ key: Key, _ report: OutcomeReport) {
        let place = stories.place(of: key, default: Story())
        // Ends are written again for new segments, and the request of an id that was cancelled before ends
        // as that was.
        if let former = stories[place].endedAs {
            if former != report.outcome { violate("\(key) ended as \(former), and as \(report.outcome)") }
            return
        }
        clock += 1
        (stories[place].endedAt, stories[place].endedIn) = (clock, batches)
        stories[place].endedAs = report.outcome
        guard let device = report.device.flatMap({ devices.place(of: $0) }) else { return }
        devices[device].lane.removeAll { $0 == place }
        if devices[device].inFlight == place { devices[device].inFlight = nil }
    }

    mutating func note(_ message: ControllerMessage, isNewest: Bool, at now: Moment) {
        switch message.body {
        case .pong, .pull, .fault, .taken, .heal, .scenario, .retire, .listFaults, .renew: break
        case .abort(let identity):
            seen.insert("abort")
            if !dispatched.contains(identity) { violate("\(identity) is aborted and was never dispatched") }
        case .command(let command), .configure(let command, _):
            guard let owner = owner(of: command.identity.device) else {
                return violate("a command to nobody")
            }
            let key = Key(id: command.identity.requestID, account: owner)
            if !dispatched.contains(command.identity) { violate("\(key) left before its journal entry") }
            // One that was overtaken may still say what it knows; the devices do not listen.
            guard isNewest else { return }
            guard let place = stories.place(of: key), let deadline = stories[place].deadline else {
                return violate("\(key) left and was never admitted")
            }
            if stories[place].isCancelled { violate("\(key) left after its cancel") }
            if let batch = stories[place].endedIn, batch != batches { violate("\(key) left after its end") }
            let spare = now.wall.advanced(by: command.timeToLive).duration(to: deadline)
            if command.timeToLive <= .zero || (spare < .milliseconds(-2) && clocksAreRight) {
                violate("\(key) left with more time than it had: \(command.timeToLive), \(spare)")
            }
        }
    }
}
