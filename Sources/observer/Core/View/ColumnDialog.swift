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
