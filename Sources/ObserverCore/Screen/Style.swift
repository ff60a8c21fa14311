/// How text on the screen looks.
public struct Style: Hashable, Sendable {
    /// The colours of every terminal, as it is told of them.
    public enum Color: String, Hashable, Sendable {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    /// Its colour; nil: the terminal's own.
    public var color: Color?
    /// Whether it is bold.
    public var isBold = false
    /// Whether it is dimmed.
    public var isDim = false
    /// Whether text and background change places.
    public var isReversed = false

    /// Nothing special.
    public static let plain = Style()
    /// Bold.
    public static let bold = Style(isBold: true)
    /// Dimmed.
    public static let dim = Style(isDim: true)

    /// That colour, and else nothing special.
    public static func colored(_ color: Color) -> Style { Style(color: color) }

    /// How a sentence of a tone looks.
    static func of(_ tone: EventLine.Tone) -> Style {
        switch tone {
        case .success: .colored(.green)
        case .failure: .colored(.red)
        case .neutral: .plain
        }
    }

    /// The style of those parts.
    public init(color: Color? = nil, isBold: Bool = false, isDim: Bool = false, isReversed: Bool = false) {
        (self.color, self.isBold, self.isDim, self.isReversed) = (color, isBold, isDim, isReversed)
    }
}
