import DeviceCore
import FleetProtocol

/// The memory that devices have written, by device and incarnation.
///
/// Invariants: a device that starts again continues an incarnation exactly where it was, its version rises by
/// one with each change, its command numbers rise, its epoch never decreases, a timer fires once, and a
/// schedule runs once for each of its times.
struct DeviceMemoryHistory {
    private struct Key: NumberedKey {
        let device: DeviceID
        let incarnation: Incarnation
        var number: UInt64 { incarnation.bits ^ device.bits }
    }

    private struct Memory {
        var state: DeviceState?
        var lastUsed: CommandNumber?
        /// The highest epoch that the device knows.
        var epoch = Epoch.zero
        var settings: DeviceSettings?
        /// Whether an older copy has replaced it, so that the device may repeat the commands and results
        /// since then.
        var wasRolledBack = false
        /// Whether two processes have copies of it, which differ from then on.
        var isForked = false
    }

    private var memories = HashTable<Key, Memory>()

    /// Records the start of a device, which continues an incarnation in its last state or begins one.
    mutating func begin(_ row: DeviceRow, _ findings: inout Findings) {
        let index = index(of: row.device, row.reported.incarnation)
        let memory = memories[index]
        guard !memory.isForked else { return }
        if let left = memory.state, left != row.reported {
            findings.violate("\(row.device) was left at \(left), and starts at \(row.reported)")
        }
        if let used = memory.lastUsed, used != row.lastCommandNumber {
            findings.violate("\(row.device) used \(used), and starts at \(row.lastCommandNumber)")
        }
        if row.epoch < memory.epoch {
            findings.violate("\(row.device) was in \(memory.epoch), and starts in \(row.epoch)")
        }
        memories[index].state = row.reported
        var left = memory.settings ?? DeviceSettings()
        var started = row.settings ?? DeviceSettings()
        // The running time of the filter is written again after a start.
        (left.filter, started.filter) = (nil, nil)
        if left != started {
            findings.violate("\(row.device) was left with settings \(left), and starts with \(started)")
        }
    }

    /// Records the start of a device with an older memory. Only one invariant holds for this incarnation: it
    /// ends if the controller knows a later state of it.
    mutating func rollBack(_ row: DeviceRow) {
        let index = index(of: row.device, row.reported.incarnation)
        memories[index] = Memory(
            state: row.reported, lastUsed: row.lastCommandNumber, epoch: row.epoch, settings: row.settings,
            wasRolledBack: true)
    }

    /// Records the start of a device in a second process, with a copy of its memory.
    mutating func fork(_ row: DeviceRow) {
        let index = index(of: row.device, row.reported.incarnation)
        (memories[index].isForked, memories[index].wasRolledBack) = (true, true)
    }

    /// Whether two processes have copies of a memory of a device.
    func isForked(_ device: DeviceID) -> Bool {
        memories.keys.contains { $0.device == device && memories[$0]?.isForked == true }
    }

    /// Whether one of the states of a device is of an incarnation whose memory was rolled back.
    func wasRolledBack(_ device: DeviceID, in states: [DeviceState]) -> Bool {
        states.contains { memories[Key(device: device, incarnation: $0.incarnation)]?.wasRolledBack == true }
    }

    private mutating func index(of device: DeviceID, _ incarnation: Incarnation) -> Int {
        memories.index(of: Key(device: device, incarnation: incarnation), default: Memory())
    }

    mutating func record(_ entry: MemoryEntry, _ findings: inout Findings) {
        let index = index(of: entry.device, entry.reported.incarnation)
        guard !memories[index].isForked else { return }
        let isChange = entry.cause == .change || entry.used?.verdict == .applied
        let before = memories[index].state?.version ?? .zero
        let wanted = isChange || entry.cause == .reset ? before.next : before
        if entry.reported.version != wanted {
            findings.violate("\(entry.device) went from version \(before) to \(entry.reported.version)")
        }
        if entry.epoch < memories[index].epoch {
            findings.violate("\(entry.device) acted in epoch \(entry.epoch) after \(memories[index].epoch)")
        }
        (memories[index].state, memories[index].epoch) = (entry.reported, entry.epoch)
        recordSettings(of: entry, index, &findings)
        guard let used = entry.used else { return }
        if used.commandNumber <= memories[index].lastUsed ?? .zero {
            findings.violate("\(entry.device) used \(used.commandNumber) again")
        }
        memories[index].lastUsed = used.commandNumber
    }

    private mutating func recordSettings(of entry: MemoryEntry, _ index: Int, _ findings: inout Findings) {
        guard let new = entry.settings else { return }
        if entry.cause == .change, entry.changedBy == .timer {
            findings.seen.insert("timer")
            if memories[index].settings?.timer == nil {
                findings.violate("\(entry.device) fired a timer that was not set")
            }
            if new.timer != nil { findings.violate("\(entry.device) fired a timer that is still set") }
        }
        if entry.cause == .change, entry.changedBy == .schedule {
            findings.seen.insert("schedule")
            let before = memories[index].settings?.schedules ?? []
            Self.checkSchedule(of: entry.device, from: before, to: new.schedules, &findings)
        }
        memories[index].settings = new
    }

    /// Checks that exactly one schedule has run, that it was enabled, and that its next time is later.
    private static func checkSchedule(
        of device: DeviceID, from before: [DeviceSchedule], to after: [DeviceSchedule],
        _ findings: inout Findings
    ) {
        guard before.map(\.id) == after.map(\.id) else {
            return findings.violate("\(device) has other schedules after one ran: \(before), \(after)")
        }
        let done = zip(before, after).filter { $0 != $1 }
        guard done.count == 1, let (due, next) = done.first else {
            return findings.violate("\(device) ran one schedule, and \(done.count) changed")
        }
        if !due.isEnabled { findings.violate("\(device) ran a disabled schedule: \(due)") }
        if next.calendarDue <= due.calendarDue || next.due <= due.due {
            findings.violate("\(device) runs a schedule again for the same time: \(due), \(next)")
        }
    }
}
