import Wording

/// One line of the screen: pieces of text, each with its style.
public struct ScreenLine: Hashable, Sendable {
    /// A piece of text of one style.
    public struct Span: Hashable, Sendable {
        /// The text, fit for a terminal.
        public let text: String
        /// How it looks.
        public let style: Style
    }

    /// The pieces, from the left.
    public private(set) var spans: [Span] = []

    /// An empty line.
    public init() {}

    /// A line of one piece.
    public init(_ text: String, _ style: Style = .plain) {
        append(text, style)
    }

    /// The text without its styles.
    public var text: String { spans.map(\.text).joined() }

    /// The columns it takes.
    public var width: Int { spans.reduce(0) { $0 + DisplayWidth.of($1.text) } }

    /// Adds a piece at the right.
    public mutating func append(_ text: String, _ style: Style = .plain) {
        guard !text.isEmpty else { return }
        if let last = spans.last, last.style == style {
            spans[spans.count - 1] = Span(text: last.text + text, style: style)
        } else {
            spans.append(Span(text: text, style: style))
        }
    }

    /// This line cut to a width, an ellipsis at its end where something is missing, filled with blanks.
    public func fitted(to width: Int) -> ScreenLine {
        var line = ScreenLine()
        var left = width
        for span in spans where left > 0 {
            let columns = DisplayWidth.of(span.text)
            line.append(columns <= left ? span.text : DisplayWidth.fitted(span.text, to: left), span.style)
            left -= min(columns, left)
        }
        line.append(String(repeating: " ", count: max(0, left)), spans.last?.style ?? .plain)
        return line
    }

    /// This line with a change made to each piece's style.
    public func restyled(_ change: (inout Style) -> Void) -> ScreenLine {
        var line = ScreenLine()
        for span in spans {
            var style = span.style
            change(&style)
            line.append(span.text, style)
        }
        return line
    }
}
