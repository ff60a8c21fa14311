/// The style of text on the screen.
public struct Style: Hashable, Sendable {
    /// The colours that every terminal has, with their control codes.
    public enum Color: String, Hashable, Sendable {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    /// The colour; nil for the terminal's default.
    public var color: Color?
    /// Whether the text is bold.
    public var isBold = false
    /// Whether the text is dimmed.
    public var isDim = false
    /// Whether text and background colours are swapped.
    public var isReversed = false

    /// The default style.
    public static let plain = Style()
    /// Bold.
    public static let bold = Style(isBold: true)
    /// Dimmed.
    public static let dim = Style(isDim: true)

    /// Returns the default style in a colour.
    public static func colored(_ color: Color) -> Style { Style(color: color) }

    static func of(_ tone: EventLine.Tone) -> Style {
        switch tone {
        case .success: .colored(.green)
        case .failure: .colored(.red)
        case .neutral: .plain
        }
    }

    /// A style of those values.
    public init(color: Color? = nil, isBold: Bool = false, isDim: Bool = false, isReversed: Bool = false) {
        (self.color, self.isBold, self.isDim, self.isReversed) = (color, isBold, isDim, isReversed)
    }
}
