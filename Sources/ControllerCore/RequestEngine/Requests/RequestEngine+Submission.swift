import FleetProtocol
import Stepping

/// Requests of services: they have no connection, and a service is told of their ends.
extension RequestEngine {
    /// What is known of a request that a service is about to submit.
    enum Finding {
        /// It has ended.
        case ended(Outcome)
        /// Its ID was used for something else.
        case taken
        /// It may have ended in a part of the journal that is not read yet.
        case unread
        /// Outcomes of that time are removed.
        case tooOld
        case unknown
    }

    /// Looks a request up; a tombstone becomes its end.
    mutating func find(
        _ key: RequestKey, _ content: RequestContent, at now: Moment, into effects: inout Effects
    ) -> Finding {
        if let entry = ended[key] {
            if entry.content == nil {
                _ = endMetTombstone(entry, of: key, by: content, at: now, into: &effects)
            }
            let isSame = entry.content == nil || entry.content == content
            return isSame ? .ended(entry.report.outcome) : .taken
        }
        if requests.slot(of: key) != nil { return .taken }
        if ended.mayBeUnread(key.id) { return .unread }
        return ended.lag(of: key) == nil ? .unknown : .tooOld
    }

    /// Submits a request that is not known yet.
    ///
    /// - Parameter runningTime: How long the device is busy with it.
    /// - Returns: Why it was not admitted; nil if it was.
    mutating func submit(
        _ key: RequestKey, _ content: RequestContent, by actor: Email, patience: Duration,
        runningTime: Duration, at now: Moment, into effects: inout Effects
    ) -> Refusal? {
        guard
            let device = directory.device(content.device, of: key.account)
                ?? place(content.device, of: key.account, at: now)
        else { return refusal(ofUnnamed: content.device, account: key.account, at: now.monotonic) }
        if let refusal = objection(toDevice: device, account: key.account, at: now.monotonic) {
            return refusal
        }
        let slot = letIn(
            key, content, device, actor: actor, patience: patience, waiters: Waiters(), at: now)
        report(on: slot, runningTime: runningTime)
        enterLane(slot, of: device, at: now, into: &effects)
        return nil
    }

    /// Reports the end of a request that was resumed from the journal; returns false if it is not open.
    mutating func resumeReporting(on key: RequestKey, runningTime: Duration) -> Bool {
        guard let slot = requests.slot(of: key) else { return false }
        report(on: slot, runningTime: runningTime)
        return true
    }

    /// Cancels a request for which no client waits; returns false if it is not open.
    mutating func takeBack(_ key: RequestKey, at now: Moment, into effects: inout Effects) -> Bool {
        guard let slot = requests.slot(of: key) else { return false }
        takeBack(slot, at: now, into: &effects)
        return true
    }

    private mutating func report(on slot: RequestSlot, runningTime: Duration) {
        requests.update(slot) {
            $0.reportsEnd = true
            $0.runningTime = runningTime
        }
        if requests[slot].dispatch == nil { arm(slot, at: startDue(slot)) }
    }
}
