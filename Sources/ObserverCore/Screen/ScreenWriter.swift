/// Turns screens into what a terminal is sent: only the lines that changed, so nothing flickers.
public struct ScreenWriter: Sendable {
    /// Goes to the alternate screen and hides the cursor.
    public static let enter = "\u{1b}[?1049h\u{1b}[?25l"
    /// Shows the cursor and goes back to the screen that was.
    public static let leave = "\u{1b}[?2026l\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l"

    /// Around what is shown at once, where a terminal can do that (synchronized output); others ignore it.
    private static let frame = (begin: "\u{1b}[?2026h", end: "\u{1b}[?2026l")

    private let usesColor: Bool
    private var shown: [ScreenLine] = []
    private var width = 0

    /// A writer that has shown nothing yet; without colour, bold and reversed text stay.
    public init(usesColor: Bool) {
        self.usesColor = usesColor
    }

    /// Forgets what was shown: the terminal may show something else, so the next screen is written whole.
    public mutating func forget() {
        shown = []
    }

    /// What turns the screen shown last into that one; empty when they are the same.
    public mutating func bytes(for lines: [ScreenLine]) -> [UInt8] {
        var output: [UInt8] = []
        let newWidth = lines.first?.width ?? 0
        if shown.count != lines.count || width != newWidth {
            output += Array("\u{1b}[0m\u{1b}[2J".utf8)
            shown = Array(repeating: ScreenLine(), count: lines.count)
        }
        for (index, line) in lines.enumerated() where shown[index] != line {
            output += Array("\u{1b}[\(index + 1);1H".utf8)
            append(line, to: &output)
        }
        shown = lines
        width = newWidth
        return output.isEmpty ? [] : Array(Self.frame.begin.utf8) + output + Array(Self.frame.end.utf8)
    }

    private func append(_ line: ScreenLine, to output: inout [UInt8]) {
        for span in line.spans {
            output += Array(sequence(for: span.style).utf8)
            output += Array(span.text.utf8)
        }
        output += Array("\u{1b}[0m".utf8)
    }

    private func sequence(for style: Style) -> String {
        var codes = ["0"]
        if style.isBold { codes.append("1") }
        if style.isDim { codes.append("2") }
        if style.isReversed { codes.append("7") }
        if usesColor, let color = style.color { codes.append(String(color.rawValue)) }
        return "\u{1b}[\(codes.joined(separator: ";"))m"
    }
}
