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
