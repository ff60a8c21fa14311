import UserText

/// One line of the screen: pieces of text, each with its style.
public struct ScreenLine: Hashable, Sendable {
    /// A piece of text of one style.
    public struct Span: Hashable, Sendable {
        /// The text, fit for a terminal.
        public fileprivate(set) var text: String
        /// How it looks.
        public fileprivate(set) var style: Style
        /// The columns it takes.
        public fileprivate(set) var width: Int
    }

    /// The pieces, from the left.
    public private(set) var spans: [Span] = []
    /// The columns it takes.
    public private(set) var width = 0

    /// An empty line.
    public init() {}

    /// A line of one piece.
    public init(_ text: String, _ style: Style = .plain) { append(text, style) }

    /// The text without its styles.
    public var text: String { spans.map(\.text).joined() }

    /// Adds a piece at the right.
    public mutating func append(_ text: String, _ style: Style = .plain) {
        append(text, of: DisplayWidth.of(text), style)
    }

    /// Adds a piece at the right that fills a column exactly: cut, or filled with blanks at its end or, where
    /// it is right-aligned, at its beginning.
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

    /// This line cut to a width, an ellipsis at its end where something is missing, filled with blanks.
    public func fitted(to width: Int) -> ScreenLine {
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

    /// This line with a change made to each piece's style.
    public func restyled(_ change: (inout Style) -> Void) -> ScreenLine {
        var line = ScreenLine()
        for span in spans {
            var style = span.style
            change(&style)
            line.append(span.text, of: span.width, style)
        }
        return line
    }
}
