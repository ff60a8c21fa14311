import FleetProtocol
import FleetReplica
import UserText

enum TableColumn: Hashable, Sendable {
    case name, id, state, settings, presence, reason, shortPresence, version, change, room
    /// The plot of the last temperatures, at most that many.
    case trend(Int)

    static let widestName = 48

    /// The columns for the widths of a screen, the widest first, each with its least width.
    private static let steps: [(least: Int, columns: [TableColumn])] = [
        (150, [.name, .id, .state, .settings, .presence, .version, .change, .room, .trend(32)]),
        (110, [.name, .id, .state, .settings, .presence, .version, .change, .room, .trend(12)]),
        (72, [.name, .state, .settings, .reason, .version, .change, .room, .trend(8)]),
        (54, [.name, .state, .settings, .reason, .change, .room]),
        (30, [.name, .state, .shortPresence, .room]), (0, [.name, .state]),
    ]

    /// Returns the columns for a screen of a width, in their order; others get the width of hidden ones.
    static func fitting(_ width: Int, hiding hidden: Set<ColumnChoice> = []) -> [TableColumn] {
        for step in steps {
            let shown = step.columns.filter { column in !(column.choice.map(hidden.contains) ?? false) }
            let omitted = step.columns.filter { !shown.contains($0) }
            if width + omitted.reduce(0, { $0 + $1.fixedWidth + 1 }) >= step.least { return shown }
        }
        return [.name]
    }

    /// Returns the width of each column on a screen of a width, with one blank between columns.
    static func widths(of columns: [TableColumn], in width: Int) -> [Int] {
        let fixed = columns.reduce(columns.count - 1) { $0 + $1.fixedWidth }
        return columns.map { $0 == .name ? max(1, min(widestName, width - fixed)) : $0.fixedWidth }
    }

    /// Returns the column at a position in a table of a width; nil between and after columns.
    static func at(_ position: Int, in width: Int, hiding hidden: Set<ColumnChoice>) -> TableColumn? {
        let columns = fitting(width, hiding: hidden)
        var start = 0
        for (column, columnWidth) in zip(columns, widths(of: columns, in: width)) {
            if (start..<start + columnWidth).contains(position) { return column }
            start += columnWidth + 1
        }
        return nil
    }

    /// The title, the fixed width (the name column gets the rest), the sort order that a click on the title
    /// chooses, and the choice of the user that shows or hides the column.
    private var facts: (title: String, width: Int, sort: TableSort?, choice: ColumnChoice?) {
        switch self {
        case .name: ("name", 0, .name, nil)
        case .id: ("id", DeviceID.length, nil, .id)
        case .state: ("state", 5, .state, .state)
        case .settings: ("mode", 10, nil, .mode)
        case .presence: ("presence", 19, .presence, .presence)
        case .reason: ("presence", 11, .presence, .presence)
        case .shortPresence: ("presence", 8, .presence, .presence)
        case .version: ("version", 7, .version, .version)
        case .change: ("change", 6, .change, .change)
        case .room: ("room", 7, .room, .room)
        case .trend(let values): ("trend", values, nil, .trend)
        }
    }

    var title: String { facts.title }
    var sort: TableSort? { facts.sort }
    private var choice: ColumnChoice? { facts.choice }
    private var fixedWidth: Int { facts.width }
    var isRightAligned: Bool { self == .version || self == .change || self == .room }
    var isPlot: Bool { if case .trend = self { true } else { false } }

    func text(of row: ScreenContent.Row) -> String {
        switch self {
        case .name: row.device.label
        case .id: row.device.id.description
        case .state: row.expected.map { $0 ? "→ on" : "→ off" } ?? row.state.state.power
        case .settings: row.state.state.settings
        case .presence: row.presence.kind.shortText
        case .reason: row.presence.kind.reasonText
        case .shortPresence: row.presence.kind.name
        case .version: row.state.version.description
        case .change: TimeText.age(row.age)
        case .room: row.measured?.celsiusText ?? ""
        case .trend(let values): Sparkline.text(of: row.deciCelsius, width: values)
        }
    }

    func style(of row: ScreenContent.Row) -> Style {
        switch self {
        case .state:
            row.expected != nil ? .colored(.yellow) : row.state.state.isOn ? .colored(.green) : .plain
        case .presence, .reason, .shortPresence: Self.style(of: row.presence.kind)
        case .name, .settings, .room: .plain
        case .trend: .colored(.cyan)
        case .id, .version, .change: .dim
        }
    }

    static func style(of presence: Presence.Kind) -> Style {
        switch presence {
        case .online: .plain
        case .stale, .unknown: .colored(.yellow)
        case .offline: .colored(.red)
        }
    }
}

/// The columns of the table that the user can hide; the name always stays.
enum ColumnChoice: String, CaseIterable, Hashable, Sendable {
    case id, state, mode, presence, version, change, room, trend
}

struct ColumnDialog: Sendable {
    var hidden: Set<ColumnChoice> = []
    private(set) var selected = 0

    mutating func move(_ intent: ViewIntent) {
        let last = ColumnChoice.allCases.count - 1
        selected = max(0, min(last, intent.position(from: selected, rowsOnScreen: last, last: last)))
    }

    mutating func toggle() { hidden.formSymmetricDifference([ColumnChoice.allCases[selected]]) }

    var lines: [ScreenLine] {
        let name = ScreenLine("  [x] name  (always shown)", .dim)
        let choices = ColumnChoice.allCases.enumerated().map { place, choice in
            let mark = hidden.contains(choice) ? "[ ]" : "[x]"
            let isSelected = place == selected
            return ScreenLine(
                "\(isSelected ? "▸" : " ") \(mark) \(choice.rawValue)", isSelected ? .bold : .plain)
        }
        let note = ["space hides or shows a column, esc goes back", "a narrow screen omits further columns"]
        return [name] + choices + [ScreenLine()] + note.map { ScreenLine($0, .dim) }
    }
}
