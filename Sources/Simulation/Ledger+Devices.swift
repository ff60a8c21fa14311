import DeviceCore
import FleetProtocol

/// What devices remember, as it is written.
extension Ledger {
    /// A device is there again: in a life that it remembers exactly as it was left, or in a new one.
    mutating func begin(_ row: DeviceRow) {
        let life = Life(device: row.device, incarnation: row.reported.incarnation)
        if let left = reports[life], left != row.reported {
            violate("\(row.device) was left at \(left), and is back at \(row.reported)")
        }
        if let used = lastUsed[life], used != row.lastSequence {
            violate("\(row.device) used \(used), and is back at \(row.lastSequence)")
        }
        reports[life] = row.reported
        var (left, back) = (settings[life] ?? DeviceSettings(), row.settings ?? DeviceSettings())
        // What its filter has run is noted anew when it is back.
        (left.filter, back.filter) = (nil, nil)
        if left != back {
            violate("\(row.device) was left set to \(left), and is back set to \(back)")
        }
    }

    /// A timer fires once, and only one that is set.
    private mutating func noteSettings(of entry: MemoryEntry, in life: Life) {
        guard let new = entry.settings else { return }
        if entry.cause == .change, entry.changedBy == .timer {
            seen.insert("timer")
            if settings[life]?.timer == nil { violate("\(entry.device) ended a timer that was not set") }
            if new.timer != nil { violate("\(entry.device) ended a timer that is still set") }
        }
        if entry.cause == .change, entry.changedBy == .schedule {
            seen.insert("schedule")
            noteSchedule(of: entry.device, from: settings[life]?.schedules ?? [], to: new.schedules)
        }
        settings[life] = new
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
            let isChange = entry.cause == .change || entry.used?.verdict == .applied
            let before = reports[life]?.version ?? .zero
            let wanted = isChange || entry.cause == .reset ? before.next : before
            if entry.reported.version != wanted {
                violate("\(entry.device) went from version \(before) to \(entry.reported.version)")
            }
            reports[life] = entry.reported
            noteSettings(of: entry, in: life)
            if let used = entry.used {
                if used.sequence <= lastUsed[life] ?? .zero {
                    violate("\(entry.device) used \(used.sequence) again")
                }
                lastUsed[life] = used.sequence
            }
            guard let used = entry.used, used.verdict == .applied, let owner = owners[entry.device] else {
                continue
            }
            let key = Key(account: owner, id: used.requestID)
            stories[key, default: Story()].applied.append(entry.reported)
            if stories[key]?.applied.count ?? 0 > 1 { violate("\(key) took effect twice") }
        }
    }
}
