import FleetProtocol
import FleetReplica
import UserText

/// The rows that the table shows, and their order.
///
/// The table is sorted completely when the sort order, the filter or the places of rows change. Otherwise one
/// pass finds new rows and rows with a changed rank, and merges only those. Between two passes at least
/// ``Self/pause(of:)`` passes, to save processor time and for readability.
///
/// It takes 24 bytes for each row that passes the filter.
struct TableOrder: Sendable {
    struct Rule: Sendable, Equatable {
        private(set) var filter = DeviceFilter.all
        /// The condition that the text is; nil for a selector.
        private(set) var typed: Condition?
        /// The mistake in a text of several words; nil for none.
        private(set) var problem: String?
        var condition: Condition?
        var sort = TableSort.slot
        var isReversed = false
        var isFaultsOnly = false
        var grouping = TableGrouping.none

        /// The filter by name, ID and site.
        fileprivate var selector: DeviceFilter { typed == nil ? filter : .all }

        mutating func use(_ filter: DeviceFilter) { (self.filter, typed, problem) = (filter, nil, nil) }

        /// Filters by a text: a selector, or a condition of several words.
        mutating func filter(by text: String) {
            use(DeviceFilter(text))
            do throws(ConditionError) {
                typed = try Condition.ofSeveralWords(text)
            } catch {
                problem = error.description
            }
        }

        var isLive: Bool {
            sort.isLive || isFaultsOnly || condition != nil || typed != nil || grouping != .none
        }
    }

    private struct Ranked: Sendable {
        /// The lowest rank is first; at equal ranks, the lower place.
        let rank: Int64
        let place: Int
    }

    private(set) var places: [Int] = []
    private(set) var groups = TableGroups()
    private var ranked: [Ranked] = []
    private var rule: Rule?
    private var seen = DeviceTable.Revisions()
    private var seenRows = 0
    private var changeCount: UInt64 = 0
    private var madeAt = MonotonicTime.zero

    /// The shortest time between two passes: a quarter of a second, or 2 µs per device if that is longer.
    static func pause(of devices: Int) -> Duration { max(.milliseconds(250), .microseconds(2 * devices)) }

    /// Updates the order if necessary; returns whether it changed.
    mutating func refresh(_ replica: Replica, rule: Rule, at now: MonotonicTime) -> Bool {
        let revisions = replica.devices.revisions
        if self.rule != rule || seen.packed != revisions.packed {
            sort(replica, by: rule)
        } else {
            // The first rows are shown at once, because an empty table says that the fleet has no devices.
            let isLate = ranked.isEmpty || madeAt.advanced(by: Self.pause(of: replica.deviceCount)) <= now
            let isLive = rule.isLive && changeCount != replica.changeCount
            guard isLate, isLive || seen != revisions else { return false }
            if seen.renamed != revisions.renamed { sort(replica, by: rule) } else { mend(replica) }
        }
        seen = revisions
        seenRows = replica.devices.rows.count
        changeCount = replica.changeCount
        madeAt = now
        show(replica)
        return true
    }

    private mutating func sort(_ replica: Replica, by rule: Rule) {
        // Rows that did not pass the shorter filter do not pass the longer one.
        let isNarrower =
            seen.renamed == replica.devices.revisions.renamed && seen == replica.devices.revisions
            && self.rule.map { rule.selector.isNarrower(than: $0.selector) } ?? false
        let rows = replica.devices.rows
        let candidates = isNarrower ? ranked.map(\.place) : Array(rows.indices)
        self.rule = rule
        ranked = candidates.compactMap { rank(rows[$0], at: $0, in: replica) }
        order(&ranked, of: rows)
    }

    private mutating func mend(_ replica: Replica) {
        let rows = replica.devices.rows
        var unmoved: [Ranked] = []
        unmoved.reserveCapacity(ranked.count)
        var moved: [Ranked] = []
        for old in ranked where !rows[old.place].isRemoved {
            let new = Ranked(rank: rank(of: rows[old.place], in: replica), place: old.place)
            if new.rank == old.rank { unmoved.append(new) } else { moved.append(new) }
        }
        for place in seenRows..<max(seenRows, rows.count) {
            if let new = rank(rows[place], at: place, in: replica) { moved.append(new) }
        }
        order(&moved, of: rows)
        ranked = moved.isEmpty ? unmoved : merged(unmoved, moved, of: rows)
    }

    private mutating func show(_ replica: Replica) {
        let isFaultsOnly = rule?.isFaultsOnly ?? false
        let conditions = [rule?.condition, rule?.typed].compactMap(\.self)
        places = ranked.compactMap { ranked in
            guard isFaultsOnly || !conditions.isEmpty else { return ranked.place }
            let row = replica.devices[ranked.place]
            if isFaultsOnly, replica.node(of: row).presence(of: row).kind == .online { return nil }
            let subject = ReplicaSubject(row, of: replica)
            return conditions.allSatisfy { $0.holds(of: subject) } ? ranked.place : nil
        }
        groups = TableGroups(&places, of: replica, by: rule?.grouping ?? .none)
    }

    private func rank(_ row: ReplicaRow, at place: Int, in replica: Replica) -> Ranked? {
        guard let rule, !row.isRemoved else { return nil }
        let site = rule.selector.selectsSite ? replica.group(of: row)?.site : nil
        guard rule.selector.matches(name: row.name, id: row.device, site: site) else { return nil }
        return Ranked(rank: rank(of: row, in: replica), place: place)
    }

    /// Returns the rank of a row; a row without a value is the last in any order.
    private func rank(of row: ReplicaRow, in replica: Replica) -> Int64 {
        guard let rank = value(of: row, in: replica) else { return .max }
        return rule?.isReversed == true ? -rank : rank
    }

    private func value(of row: ReplicaRow, in replica: Replica) -> Int64? {
        switch rule?.sort {
        case .slot, .name, nil: 0
        case .state: row.reported.state.isOn ? 0 : 1
        case .presence:
            switch replica.node(of: row).presence(of: row).kind {
            case .offline: 0
            case .unknown: 1
            case .stale: 2
            case .online: 3
            }
        case .change: -row.asOf.unixMilliseconds
        case .version: -Int64(clamping: row.reported.version.value)
        case .room: row.measured.map { -Int64($0.measurements.deciCelsius) }
        }
    }

    private func order(_ ranked: inout [Ranked], of rows: [ReplicaRow]) {
        ranked.sort { precedes($0, $1, of: rows) }
    }

    private func precedes(_ left: Ranked, _ right: Ranked, of rows: [ReplicaRow]) -> Bool {
        if left.rank != right.rank { return left.rank < right.rank }
        let isReversed = rule?.isReversed ?? false
        if rule?.sort == .name {
            let (first, last) = isReversed ? (right, left) : (left, right)
            let (one, other) = (rows[first.place].name, rows[last.place].name)
            if NaturalOrder.precedes(one, other) { return true }
            if NaturalOrder.precedes(other, one) { return false }
        }
        return (left.place < right.place) != (isReversed && rule?.sort == .slot)
    }

    private func merged(_ left: [Ranked], _ right: [Ranked], of rows: [ReplicaRow]) -> [Ranked] {
        var merged: [Ranked] = []
        merged.reserveCapacity(left.count + right.count)
        var next = 0
        for entry in left {
            while next < right.count, precedes(right[next], entry, of: rows) {
                merged.append(right[next])
                next += 1
            }
            merged.append(entry)
        }
        return merged + right[next...]
    }
}

enum TableSort: UInt8, CaseIterable, Hashable, Sendable {
    /// The controller's order, which never changes.
    case slot
    /// By name, with numbers by their value.
    case name
    /// Devices that are on first.
    case state
    /// Devices that are not online first.
    case presence
    /// The latest change first.
    case change
    /// The highest version first.
    case version
    /// The warmest room first.
    case room

    var name: String { "\(self)" }

    /// The next sort order; the first after the last.
    var next: TableSort { TableSort(rawValue: rawValue + 1) ?? .slot }

    /// Whether the column's values grow from the first row to the last, unless the order is reversed.
    var isAscending: Bool {
        switch self {
        case .slot, .name, .presence, .change: true
        case .state, .version, .room: false
        }
    }

    var isLive: Bool {
        switch self {
        case .slot, .name: false
        case .state, .presence, .change, .version, .room: true
        }
    }
}
