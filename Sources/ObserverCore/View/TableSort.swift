/// By what the table is sorted.
public enum TableSort: UInt8, CaseIterable, Hashable, Sendable {
    /// The controller's order, which never changes.
    case slot
    /// The name, numbers by their value.
    case name
    /// On before off.
    case state
    /// What is not online first.
    case presence
    /// The latest change first.
    case change
    /// The highest version first.
    case version
    /// The warmest room first.
    case room

    /// Its word in the title line.
    public var name: String { "\(self)" }

    /// The one that follows, the first after the last.
    public var next: TableSort { TableSort(rawValue: rawValue + 1) ?? .slot }

    /// Whether an update can change the order.
    var isLive: Bool {
        switch self {
        case .slot, .name: false
        case .state, .presence, .change, .version, .room: true
        }
    }
}
