/// The sort orders of the table.
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

    /// The name in the title line.
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

    /// Whether an update can change the order.
    var isLive: Bool {
        switch self {
        case .slot, .name: false
        case .state, .presence, .change, .version, .room: true
        }
    }
}
