import UserText

struct ScreenLine: Hashable, Sendable {
    struct Span: Hashable, Sendable {
        /// The text, sanitized for a terminal.
        fileprivate(set) var text: String
        fileprivate(set) var style: Style
        fileprivate(set) var width: Int
    }

    private(set) var spans: [Span] = []
    private(set) var width = 0

    init() {}

    init(_ text: String, _ style: Style = .plain) { append(text, style) }

    var text: String { spans.map(\.text).joined() }

    mutating func append(_ text: String, _ style: Style = .plain) {
        append(text, of: DisplayWidth.of(text), style)
    }

    mutating func append(_ line: ScreenLine) {
        for span in line.spans { append(span.text, of: span.width, span.style) }
    }

    /// Appends a piece that fills a column exactly: truncated, or padded with blanks at its end or, if
    /// right-aligned, at its start.
    mutating func append(_ text: String, in column: Int, isRightAligned: Bool = false, _ style: Style) {
        let columns = DisplayWidth.of(text)
        guard columns <= column else {
            return append(DisplayWidth.fitted(text, to: column), of: max(0, column), style)
        }
        if isRightAligned { append(blanks: column - columns, style) }
        append(text, of: columns, style)
        if !isRightAligned { append(blanks: column - columns, style) }
    }

    private mutating func append(blanks count: Int, _ style: Style) {
        append(DisplayWidth.blanks(count), of: count, style)
    }

    private mutating func append(_ text: String, of columns: Int, _ style: Style) {
        guard !text.isEmpty else { return }
        width += columns
        let last = spans.count - 1
        if last >= 0, spans[last].style == style {
            spans[last].text += text
            spans[last].width += columns
        } else {
            spans.append(Span(text: text, style: style, width: columns))
        }
    }

    /// Returns the line at a width: truncated with an ellipsis, or padded with blanks.
    func fitted(to width: Int) -> ScreenLine {
        if self.width <= width {
            var line = self
            line.append(blanks: width - self.width, spans.last?.style ?? .plain)
            return line
        }
        var line = ScreenLine()
        for span in spans where line.width < width {
            line.append(span.text, in: min(span.width, width - line.width), span.style)
        }
        return line
    }

    /// The line with all its pieces dimmed, and without colours.
    var dimmed: ScreenLine { restyled { $0 = Style(isDim: true) } }

    func restyled(_ change: (inout Style) -> Void) -> ScreenLine {
        var line = ScreenLine()
        for span in spans {
            var style = span.style
            change(&style)
            line.append(span.text, of: span.width, style)
        }
        return line
    }
}

enum WrappedText {
    /// Returns the lines of a text, each at most that many columns wide; at least one. A line ends between
    /// two words where that is possible, and within a word that is wider than a line.
    static func lines(of text: String, in width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var used = 0
        func endLine() {
            lines.append(line)
            (line, used) = ("", 0)
        }
        for word in text.split(separator: " ") {
            let columns = DisplayWidth.of(String(word))
            if used > 0 {
                if used + 1 + columns <= width {
                    line += " \(word)"
                    used += 1 + columns
                    continue
                }
                endLine()
            }
            if columns <= width {
                (line, used) = (String(word), columns)
                continue
            }
            for character in word {
                let columns = DisplayWidth.of(String(character))
                if used > 0, used + columns > width { endLine() }
                line.append(character)
                used += columns
            }
        }
        return lines + [line]
    }
}
