/// The style of text on the screen.
struct Style: Hashable, Sendable {
    /// The colours that every terminal has, with their control codes.
    enum Color: String, Hashable, Sendable {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    /// The colour; nil for the terminal's default.
    var color: Color?
    /// Whether the text is bold.
    var isBold = false
    /// Whether the text is dimmed.
    var isDim = false
    /// Whether text and background colours are swapped.
    var isReversed = false

    /// The default style.
    static let plain = Style()
    /// Bold.
    static let bold = Style(isBold: true)
    /// Dimmed.
    static let dim = Style(isDim: true)

    /// Returns the default style in a colour.
    static func colored(_ color: Color) -> Style { Style(color: color) }

    static func of(_ tone: EventLine.Tone) -> Style {
        switch tone {
        case .success: .colored(.green)
        case .failure: .colored(.red)
        case .neutral: .plain
        }
    }

    /// A style of those values.
    init(color: Color? = nil, isBold: Bool = false, isDim: Bool = false, isReversed: Bool = false) {
        (self.color, self.isBold, self.isDim, self.isReversed) = (color, isBold, isDim, isReversed)
    }
}
