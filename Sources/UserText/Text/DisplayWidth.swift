/// The display width of text in a terminal, in columns. The width is the sum over the scalars, as terminals
/// draw text after ``SafeText`` removed joiners and selectors: East Asian wide and full-width characters
/// (Unicode Standard Annex #11) and emoji take two columns, combining marks none, all others one.
public enum DisplayWidth {
    /// The wide characters that are not emoji.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0x3247, 0x3250...0x4dbf, 0x4e00...0xa4cf,
        0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60,
        0xffe0...0xffe6, 0x16fe0...0x18d08, 0x1aff0...0x1b2ff, 0x1f200...0x1f265, 0x20000...0x2fffd,
        0x30000...0x3fffd,
    ]

    /// Cached strings of blanks up to the width of most terminals.
    private static let manyBlanks = (0...256).map { String(repeating: " ", count: $0) }

    /// Returns that many blanks; none if the number is negative.
    public static func blanks(_ count: Int) -> String {
        guard count < manyBlanks.count else { return String(repeating: " ", count: count) }
        return manyBlanks[max(0, count)]
    }

    public static func of(_ text: String) -> Int {
        let bytes = text.utf8Span.span
        for index in bytes.indices where !(0x20...0x7e).contains(bytes[index]) {
            return text.unicodeScalars.reduce(0) { $0 + of($1) }
        }
        return bytes.count
    }

    /// Returns the width of one scalar: 0, 1 or 2.
    public static func of(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return value < 0x20 || (0x7f...0x9f).contains(value) ? 0 : 1 }
        // Box drawing and block elements fill much of a screen; this skips their property lookup.
        if (0x2500...0x259f).contains(value) { return 1 }
        // A flag is a pair of these and takes two columns.
        if (0x1f1e6...0x1f1ff).contains(value) { return 1 }
        // Vowels and final consonants join the syllable's first consonant.
        if (0x1160...0x11ff).contains(value) { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        return scalar.properties.isEmojiPresentation || isWide(value) ? 2 : 1
    }

    /// Returns the text cut or padded with blanks to a width; a cut text ends with an ellipsis. A grapheme
    /// cluster is shown whole or not at all.
    public static func fitted(_ text: String, to width: Int) -> String {
        let full = of(text)
        if full <= width { return text + blanks(width - full) }
        guard width > 0 else { return "" }
        var cut = ""
        var used = 0
        for character in text {
            let columns = character.unicodeScalars.reduce(0) { $0 + of($1) }
            guard used + columns <= width - 1 else { break }
            cut.append(character)
            used += columns
        }
        return cut + "…" + blanks(width - 1 - used)
    }

    /// Returns the end of a text that fits a width, after an ellipsis if the text is longer.
    public static func suffix(of text: String, in width: Int) -> String {
        guard of(text) > width, width > 0 else { return width > 0 ? text : "" }
        var start = text.endIndex
        var used = 1
        while start > text.startIndex {
            let previous = text.index(before: start)
            used += of(String(text[previous..<start]))
            guard used <= width else { break }
            start = previous
        }
        return "…" + text[start...]
    }

    private static func isWide(_ value: UInt32) -> Bool {
        guard value >= 0x1100 else { return false }
        return wideRanges.contains { $0.contains(value) }
    }
}

public struct TextTable: Sendable {
    public enum Alignment: Sendable {
        case left
        case right
    }

    private let alignments: [Alignment]
    private var rows: [[String]]
    private var widths: [Int]

    public init(_ columns: [(heading: String, alignment: Alignment)]) {
        alignments = columns.map(\.alignment)
        rows = [columns.map(\.heading)]
        widths = columns.map { DisplayWidth.of($0.heading) }
    }

    /// A column of a table of values: its heading, its alignment, and the cell of a value.
    public typealias Column<Value> = (heading: String, alignment: Alignment, cell: (Value) -> String)

    public init<Value>(of values: [Value], _ columns: [Column<Value>]) {
        self.init(columns.map { ($0.heading, $0.alignment) })
        for value in values { add(columns.map { $0.cell(value) }) }
    }

    /// Adds a row with a cell for each column, sanitized for terminals, behind that many blanks.
    public mutating func add(_ cells: [String], indent: Int = 0) {
        var row = checked(cells)
        row[0] = DisplayWidth.blanks(indent) + row[0]
        rows.append(row)
        for column in row.indices { widths[column] = max(widths[column], DisplayWidth.of(row[column])) }
    }

    /// The headings and the rows, without trailing blanks.
    public var lines: [String] { rows.map(laidOut) }

    /// Returns the line of a further row below the table; a wider cell shifts the cells after it.
    public func line(of cells: [String]) -> String { laidOut(checked(cells)) }

    /// Returns the cells, sanitized for terminals.
    private func checked(_ cells: [String]) -> [String] {
        precondition(
            cells.count == alignments.count, "a row of \(cells.count) in a table of \(alignments.count)")
        return cells.map(SafeText.of)
    }

    private func laidOut(_ row: [String]) -> String {
        let cells = row.indices.map { padded(row[$0], to: widths[$0], alignments[$0]) }
        let line = cells.joined(separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    private func padded(_ cell: String, to width: Int, _ alignment: Alignment) -> String {
        let blanks = String(repeating: " ", count: max(0, width - DisplayWidth.of(cell)))
        return alignment == .left ? cell + blanks : blanks + cell
    }
}

/// The escape sequences that enter and leave the alternate screen of a terminal.
public enum TerminalScreen {
    /// Enters the alternate screen, hides the cursor, and asks for marks around pasted text (xterm's mode
    /// 2004), which would otherwise be keys.
    public static let enter = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?2004h"
    /// Moves the cursor to the first line, without a change of the screen.
    public static let home = "\u{1b}[H"
    public static let lineEnd = "\u{1b}[K"
    public static let clearBelow = "\u{1b}[J"
    /// Reports presses and the wheel of the mouse as escape sequences (xterm's modes 1000 and 1006).
    public static let mouseOn = "\u{1b}[?1000h\u{1b}[?1006h"
    public static let mouseOff = "\u{1b}[?1006l\u{1b}[?1000l"
    /// Ends synchronized output and marks around pasted text, resets colours, shows the cursor and returns to
    /// the main screen.
    public static let leave = "\u{1b}[?2026l\u{1b}[?2004l\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l"
}
