import ControllerCore
import FleetProtocol
import Stepping

/// What the controller keeps, and what it tells nodes.
extension Ledger {
    /// A life of the controller begins to keep what it has decided.
    mutating func batchBegins() {
        batches += 1
    }

    /// Batches are on the disk that were not before.
    mutating func noteKept(on disk: Disk) {
        for batch in disk.kept {
            do {
                for entry in try JournalEntry.entries(of: batch[...]) { note(entry) }
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
            let (key, identity) = (enter(record), dispatch.identity)
            stories[key]?.base = dispatch.base
            if let other = inFlight[identity.device], other != key {
                violate("\(key) was dispatched while \(other) was in flight")
            }
            inFlight[identity.device] = key
            dispatched.insert(identity)
        case .cancelRequested(let account, let id):
            stories[Key(account: account, id: id), default: Story()].isCancelled = true
        case .ended(let account, let report, _, _):
            end(Key(account: account, id: report.requestID), report)
        case .horizonRaised, .segmentBegan: break
        }
    }

    @discardableResult
    mutating func enter(_ record: RequestRecord) -> Key {
        let key = Key(account: record.account, id: record.requestID)
        var story = stories[key] ?? Story()
        if story.endedAt != nil { violate("\(key) went on after its end") }
        if owners[record.content.device] != record.account { violate("\(key) is about a foreign device") }
        (story.deadline, story.content) = (record.deadline, record.content)
        stories[key] = story
        lanes[record.content.device, default: []].insert(key)
        if lanes[record.content.device, default: []].count > Limits.laneRequests {
            violate("\(key) is one too many in its lane")
        }
        return key
    }

    private mutating func end(_ key: Key, _ report: OutcomeReport) {
        var story = stories[key] ?? Story()
        if story.endedAt != nil { violate("\(key) ended twice") }
        clock += 1
        (story.endedAt, story.endedIn, story.endedAs) = (clock, batches, report.outcome)
        stories[key] = story
        guard let device = report.device else { return }
        lanes[device]?.remove(key)
        if inFlight[device] == key { inFlight[device] = nil }
    }

    mutating func note(_ message: ControllerMessage, isNewest: Bool, at now: Moment) {
        switch message.body {
        case .pong, .pull, .fault, .taken, .heal, .scenario, .retire: break
        case .abort(let identity):
            seen.insert("abort")
            if !dispatched.contains(identity) { violate("\(identity) is aborted and was never dispatched") }
        case .command(let command), .configure(let command, _):
            guard let owner = owners[command.identity.device] else { return violate("a command to nobody") }
            let key = Key(account: owner, id: command.identity.requestID)
            if !dispatched.contains(command.identity) { violate("\(key) left before its journal entry") }
            // One that was overtaken may still say what it knows; the devices do not listen.
            guard isNewest else { return }
            let story = stories[key] ?? Story()
            if story.isCancelled { violate("\(key) left after its cancel") }
            if let batch = story.endedIn, batch != batches { violate("\(key) left after its end") }
            guard let deadline = story.deadline else { return violate("\(key) left and was never admitted") }
            let spare = now.wall.advanced(by: command.timeToLive).duration(to: deadline)
            if command.timeToLive <= .zero || (spare < .milliseconds(-2) && clocksAreRight) {
                violate("\(key) left with more time than it had: \(command.timeToLive), \(spare)")
            }
        }
    }
}
