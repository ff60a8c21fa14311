import DeviceCore
import FleetProtocol

/// What devices remember, as it is written.
extension Ledger {
    /// A device is there again: in a life that it remembers exactly as it was left, or in a new one.
    mutating func begin(_ row: DeviceRow) {
        let life = Life(device: row.device, incarnation: row.reported.incarnation)
        let legacy = legacies.place(of: life, default: Legacy())
        if let left = legacies[legacy].state, left != row.reported {
            violate("\(row.device) was left at \(left), and is back at \(row.reported)")
        }
        if let used = legacies[legacy].lastUsed, used != row.lastSequence {
            violate("\(row.device) used \(used), and is back at \(row.lastSequence)")
        }
        if row.epoch < legacies[legacy].epoch {
            violate("\(row.device) was in \(legacies[legacy].epoch), and is back in \(row.epoch)")
        }
        legacies[legacy].state = row.reported
        var left = legacies[legacy].settings ?? DeviceSettings()
        var back = row.settings ?? DeviceSettings()
        // What its filter has run is noted anew when it is back.
        (left.filter, back.filter) = (nil, nil)
        if left != back {
            violate("\(row.device) was left set to \(left), and is back set to \(back)")
        }
    }

    /// A device is there again with an older memory.
    ///
    /// Only one thing is promised of this incarnation: it ends where the controller has seen more of it.
    mutating func goBack(_ row: DeviceRow) {
        let life = Life(device: row.device, incarnation: row.reported.incarnation)
        legacies[life, default: Legacy()] = Legacy(
            state: row.reported, lastUsed: row.lastSequence, epoch: row.epoch, settings: row.settings,
            hasGoneBack: true)
    }

    /// Whether a device did something in an incarnation whose memory went back.
    func hasGoneBack(_ device: DeviceID, in states: [DeviceState]) -> Bool {
        states.contains { legacies[Life(device: device, incarnation: $0.incarnation)]?.hasGoneBack == true }
    }

    /// A timer fires once, and only one that is set.
    private mutating func noteSettings(of entry: MemoryEntry, in legacy: Int) {
        guard let new = entry.settings else { return }
        if entry.cause == .change, entry.changedBy == .timer {
            seen.insert("timer")
            if legacies[legacy].settings?.timer == nil {
                violate("\(entry.device) ended a timer that was not set")
            }
            if new.timer != nil { violate("\(entry.device) ended a timer that is still set") }
        }
        if entry.cause == .change, entry.changedBy == .schedule {
            seen.insert("schedule")
            let before = legacies[legacy].settings?.schedules ?? []
            noteSchedule(of: entry.device, from: before, to: new.schedules)
        }
        legacies[legacy].settings = new
    }

    /// A schedule happens once for each of its times: one that is on, and that goes on with a later one.
    private mutating func noteSchedule(
        of device: DeviceID, from before: [DeviceSchedule], to after: [DeviceSchedule]
    ) {
        guard before.map(\.id) == after.map(\.id) else {
            return violate("\(device) did by a schedule what leaves it others: \(before), \(after)")
        }
        let done = zip(before, after).filter { $0 != $1 }
        guard done.count == 1, let (due, next) = done.first else {
            return violate("\(device) did by one schedule what was due by \(done.count)")
        }
        if !due.isEnabled { violate("\(device) did what is disabled: \(due)") }
        if next.calendarDue <= due.calendarDue || next.due <= due.due {
            violate("\(device) does again what it has done: \(due), \(next)")
        }
    }

    mutating func note(_ effects: [Node.Effect]) {
        for case .remember(let entry) in effects {
            let life = Life(device: entry.device, incarnation: entry.reported.incarnation)
            let legacy = legacies.place(of: life, default: Legacy())
            let isChange = entry.cause == .change || entry.used?.verdict == .applied
            let before = legacies[legacy].state?.version ?? .zero
            let wanted = isChange || entry.cause == .reset ? before.next : before
            if entry.reported.version != wanted {
                violate("\(entry.device) went from version \(before) to \(entry.reported.version)")
            }
            if entry.epoch < legacies[legacy].epoch {
                violate("\(entry.device) did in epoch \(entry.epoch) what follows \(legacies[legacy].epoch)")
            }
            (legacies[legacy].state, legacies[legacy].epoch) = (entry.reported, entry.epoch)
            noteSettings(of: entry, in: legacy)
            guard let used = entry.used else { continue }
            if used.sequence <= legacies[legacy].lastUsed ?? .zero {
                violate("\(entry.device) used \(used.sequence) again")
            }
            legacies[legacy].lastUsed = used.sequence
            guard used.verdict == .applied, let owner = owner(of: entry.device) else { continue }
            let key = Key(id: used.requestID, account: owner)
            let place = stories.place(of: key, default: Story())
            stories[place].applied.append(entry.reported)
            let applied = stories[place].applied
            if applied.count > 1, !hasGoneBack(entry.device, in: applied) {
                violate("\(key) took effect twice")
            }
        }
    }
}
