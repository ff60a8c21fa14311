/// How many columns of a terminal a text takes.
///
/// Measured scalar by scalar, as terminals draw text from which ``SafeText`` took joiners and selectors:
/// East Asian wide and full-width characters (Unicode Standard Annex #11) and emoji take two, combining
/// marks none, everything else one.
public enum DisplayWidth {
    /// The wide characters that are no emoji.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0x3247, 0x3250...0x4dbf, 0x4e00...0xa4cf,
        0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60,
        0xffe0...0xffe6, 0x16fe0...0x18d08, 0x1aff0...0x1b2ff, 0x1f200...0x1f265, 0x20000...0x2fffd,
        0x30000...0x3fffd,
    ]

    /// Blanks up to the width of most terminals, made once.
    private static let manyBlanks = (0...256).map { String(repeating: " ", count: $0) }

    /// That many blanks; none where it is not above zero.
    public static func blanks(_ count: Int) -> String {
        guard count < manyBlanks.count else { return String(repeating: " ", count: count) }
        return manyBlanks[max(0, count)]
    }

    /// The columns of a text.
    public static func of(_ text: String) -> Int {
        let bytes = text.utf8Span.span
        for index in bytes.indices where !(0x20...0x7e).contains(bytes[index]) {
            return text.unicodeScalars.reduce(0) { $0 + of($1) }
        }
        return bytes.count
    }

    /// The columns of one scalar: 0, 1 or 2.
    public static func of(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return value < 0x20 || (0x7f...0x9f).contains(value) ? 0 : 1 }
        // Lines and blocks, of which a screen is full: there is no need to look them up.
        if (0x2500...0x259f).contains(value) { return 1 }
        // Flags are pairs of these, two columns together.
        if (0x1f1e6...0x1f1ff).contains(value) { return 1 }
        // Vowels and final consonants join the syllable's first consonant.
        if (0x1160...0x11ff).contains(value) { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        return scalar.properties.isEmojiPresentation || isWide(value) ? 2 : 1
    }

    /// The text cut to a width, an ellipsis at its end where something is missing, and filled with blanks.
    ///
    /// What a reader takes for one character is shown whole or not at all.
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

    /// The end of a text that fits a width, behind an ellipsis where something before it is missing.
    public static func ending(of text: String, in width: Int) -> String {
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

/// Rows in columns that line up, for people.
public struct TextTable: Sendable {
    /// How a column's cells stand in it.
    public enum Alignment: Sendable {
        /// As words stand.
        case left
        /// As numbers stand.
        case right
    }

    private let alignments: [Alignment]
    private var rows: [[String]]

    /// A table of those columns: a heading and an alignment each.
    public init(_ columns: [(heading: String, alignment: Alignment)]) {
        alignments = columns.map(\.alignment)
        rows = [columns.map(\.heading)]
    }

    /// Adds a row, made safe for terminals.
    ///
    /// - Precondition: It has a cell for each column.
    public mutating func add(_ cells: [String]) {
        precondition(
            cells.count == alignments.count, "a row of \(cells.count) in a table of \(alignments.count)")
        rows.append(cells.map(SafeText.of))
    }

    /// The headings and the rows, without blanks at their ends.
    public var lines: [String] {
        let widths = alignments.indices.map { column in
            rows.reduce(0) { max($0, DisplayWidth.of($1[column])) }
        }
        return rows.map { row in
            let cells = row.indices.map { padded(row[$0], to: widths[$0], alignments[$0]) }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    private func padded(_ cell: String, to width: Int, _ alignment: Alignment) -> String {
        let blanks = String(repeating: " ", count: width - DisplayWidth.of(cell))
        return alignment == .left ? cell + blanks : blanks + cell
    }
}

/// How a program goes to a screen of its own on a terminal, and back.
public enum TerminalScreen {
    /// Goes to the alternate screen and hides the cursor.
    public static let enter = "\u{1b}[?1049h\u{1b}[?25l"
    /// Shows what is held back, ends colours, shows the cursor and goes back to the screen that was.
    public static let leave = "\u{1b}[?2026l\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l"
}
