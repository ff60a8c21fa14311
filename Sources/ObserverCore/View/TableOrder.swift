import FleetProtocol
import Stepping
import Wording

/// Which rows the table shows and in what order, made anew only when that can have changed.
struct TableOrder: Sendable {
    /// What decides on it.
    struct Rule: Sendable, Equatable {
        var filter = DeviceFilter.all
        var condition: Condition?
        var sort = TableSort.slot
        var isFaultsOnly = false

        /// Whether an update can change the result.
        var isLive: Bool { sort.isLive || isFaultsOnly || condition != nil }
    }

    private(set) var places: [Int] = []
    private var rule: Rule?
    private var tableRevision: UInt64 = 0
    private var changeCount: UInt64 = 0
    private var madeAt = MonotonicTime.zero

    /// Makes it anew if need be: at once when rule or devices are others, and when updates may have changed
    /// it after a moment that grows with the table, so that sorting never takes the better part of the time.
    mutating func refresh(_ replica: Replica, rule: Rule, at now: MonotonicTime) -> Bool {
        let isOther = self.rule != rule || tableRevision != replica.devices.revision
        let pause = Duration.milliseconds(250 + replica.deviceCount / 50)
        let isLate =
            rule.isLive && changeCount != replica.changeCount && madeAt.advanced(by: pause) <= now
        guard isOther || isLate else { return false }
        self.rule = rule
        tableRevision = replica.devices.revision
        changeCount = replica.changeCount
        madeAt = now
        places = Self.places(of: replica, rule: rule)
        return true
    }

    private static func places(of replica: Replica, rule: Rule) -> [Int] {
        let rows = replica.devices.rows
        let shown = rows.indices.filter { place in
            let row = rows[place]
            guard !row.isGone, rule.filter.matches(name: row.name, id: row.device) else { return false }
            let isShown = rule.condition?.holds(of: ConditionSubject(row, of: replica)) ?? true
            guard isShown else { return false }
            return !rule.isFaultsOnly || replica.node(of: row).presence(of: row).kind != .online
        }
        return switch rule.sort {
        case .slot: shown
        case .name: shown.sorted { NaturalOrder.precedes(rows[$0].name, rows[$1].name) }
        case .state: sorted(shown) { rows[$0].reported.state.isOn ? 0 : 1 }
        case .presence: sorted(shown) { rank(replica.node(of: rows[$0]).presence(of: rows[$0]).kind) }
        case .change: sorted(shown) { -rows[$0].asOf.unixMilliseconds }
        case .version: sorted(shown) { -Int64(clamping: rows[$0].reported.version.value) }
        }
    }

    private static func sorted(_ places: [Int], by key: (Int) -> Int64) -> [Int] {
        places.map { (key($0), $0) }.sorted { $0 < $1 }.map(\.1)
    }

    private static func rank(_ kind: Presence.Kind) -> Int64 {
        switch kind {
        case .offline: 0
        case .unknown: 1
        case .stale: 2
        case .online: 3
        }
    }
}
