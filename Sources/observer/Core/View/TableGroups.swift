import FleetProtocol
import FleetReplica
import UserText

enum TableGrouping: String, CaseIterable, Hashable, Sendable {
    case none
    case site
    case node

    var next: TableGrouping {
        switch self {
        case .none: .site
        case .site: .node
        case .node: .none
        }
    }

    func name(of row: ReplicaRow, in replica: Replica) -> String {
        switch self {
        case .none: ""
        case .site: replica.group(of: row)?.site ?? ""
        case .node: replica.node(of: row).name?.text ?? ""
        }
    }
}

/// A group of the table, with the numbers of its devices that the table shows.
struct TableGroup: Sendable, Equatable {
    /// The name of the site or node; empty for devices without one.
    let name: String
    /// The number of devices in the groups before it.
    fileprivate(set) var first = 0
    private(set) var devices = 0
    private(set) var online = 0
    private(set) var on = 0

    mutating func count(_ row: ReplicaRow, in replica: Replica) {
        devices += 1
        if replica.node(of: row).presence(of: row).kind == .online { online += 1 }
        if row.reported.state.isOn { on += 1 }
    }
}

/// The groups of the table in the order of their names, and the lines of the table: one above each group, and
/// one for each device.
struct TableGroups: Sendable, Equatable {
    enum Line: Sendable, Equatable {
        case group(TableGroup)
        /// A device, by its index among the devices of the table.
        case device(Int)
    }

    private(set) var groups: [TableGroup] = []

    init() {}

    /// Groups rows, and sorts their places by group; the order within a group stays.
    init(_ places: inout [Int], of replica: Replica, by grouping: TableGrouping) {
        guard grouping != .none else { return }
        var numbers: [String: Int] = [:]
        var found: [(group: TableGroup, places: [Int])] = []
        for place in places {
            let row = replica.devices[place]
            let name = grouping.name(of: row, in: replica)
            let number = numbers[name] ?? found.count
            if number == found.count {
                numbers[name] = number
                found.append((TableGroup(name: name), []))
            }
            found[number].group.count(row, in: replica)
            found[number].places.append(place)
        }
        found.sort { Self.precedes($0.group.name, $1.group.name) }
        places = found.flatMap(\.places)
        var first = 0
        for (var group, _) in found {
            group.first = first
            groups.append(group)
            first += group.devices
        }
    }

    func lineCount(devices: Int) -> Int { devices + groups.count }

    func line(ofDevice index: Int) -> Int { index + groupCount { groups[$0].first <= index } }

    func content(ofLine line: Int) -> Line {
        let count = groupCount { groups[$0].first + $0 <= line }
        guard count > 0 else { return .device(line) }
        let group = groups[count - 1]
        return group.first + count - 1 == line ? .group(group) : .device(line - count)
    }

    func isFirst(_ index: Int) -> Bool {
        let count = groupCount { groups[$0].first <= index }
        return count > 0 && groups[count - 1].first == index
    }

    /// Returns the number of groups whose numbers satisfy a condition that holds only for the first ones.
    private func groupCount(where holds: (Int) -> Bool) -> Int {
        var (low, high) = (0, groups.count)
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether a group is before another: by name, those without a name last.
    private static func precedes(_ one: String, _ other: String) -> Bool {
        if one.isEmpty || other.isEmpty { return !one.isEmpty }
        return NaturalOrder.precedes(one, other)
    }
}
