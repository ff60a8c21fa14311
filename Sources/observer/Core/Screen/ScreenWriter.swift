/// Encodes screens as terminal output, and writes only the changes to avoid flicker.
struct ScreenWriter: Sendable {
    /// The marks around a synchronized update; terminals without support ignore them.
    private static let frame = (begin: "\u{1b}[?2026h", end: "\u{1b}[?2026l")

    private let palette: Palette?
    private var shown: [ScreenLine] = []
    private var width = 0

    /// A writer that has shown nothing; without a palette, it still uses bold and reversed text.
    init(palette: Palette?) { self.palette = palette }

    /// Forgets the shown screen, so that the next screen is written completely: the terminal may show other
    /// content.
    mutating func reset() { shown = [] }

    /// Returns the output that changes the last screen into this one; empty if they are equal.
    mutating func bytes(for lines: [ScreenLine]) -> [UInt8] {
        var output = Array(Self.frame.begin.utf8)
        let start = output.count
        let newWidth = lines.first?.width ?? 0
        if shown.count != lines.count || width != newWidth {
            output += "\u{1b}[0m\u{1b}[2J".utf8
            shown = Array(repeating: ScreenLine(), count: lines.count)
        }
        for (index, line) in lines.enumerated() where shown[index] != line {
            append(line, at: index + 1, over: shown[index], to: &output)
        }
        shown = lines
        width = newWidth
        guard output.count > start else { return [] }
        output += Self.frame.end.utf8
        return output
    }

    /// Appends the output that changes a line: from the first piece that differs to the last.
    private func append(_ line: ScreenLine, at row: Int, over old: ScreenLine, to output: inout [UInt8]) {
        let same = zip(line.spans, old.spans).prefix { $0 == $1 }.count
        let column = line.spans.prefix(same).reduce(1) { $0 + $1.width }
        var rest = line.spans.dropFirst(same)
        // Equal pieces at the end have the same columns only in lines of the same width.
        if line.width == old.width {
            let oldRest = old.spans.dropFirst(same)
            rest = rest.dropLast(zip(rest.reversed(), oldRest.reversed()).prefix { $0 == $1 }.count)
        }
        output += "\u{1b}[\(row);\(column)H".utf8
        for span in rest {
            append(span.style, to: &output)
            output += span.text.utf8
        }
        output += "\u{1b}[0m".utf8
    }

    private func append(_ style: Style, to output: inout [UInt8]) {
        output += "\u{1b}[0".utf8
        if style.isBold { output += ";1".utf8 }
        if style.isDim { output += ";2".utf8 }
        if style.isReversed { output += ";7".utf8 }
        if let palette, let color = style.color {
            output.append(UInt8(ascii: ";"))
            output += palette.code(of: color).utf8
        }
        output.append(UInt8(ascii: "m"))
    }
}
