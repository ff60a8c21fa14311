struct Style: Hashable, Sendable {
    /// The colours that every terminal has, with their control codes.
    enum Color: String, Hashable, Sendable {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    var color: Color?
    var isBold = false
    var isDim = false
    var isReversed = false

    static let plain = Style()
    static let bold = Style(isBold: true)
    static let dim = Style(isDim: true)

    static func colored(_ color: Color) -> Style { Style(color: color) }

    static func of(_ tone: EventLine.Tone) -> Style {
        switch tone {
        case .success: .colored(.green)
        case .failure: .colored(.red)
        case .neutral: .plain
        }
    }
}

enum Palette: Hashable, Sendable {
    case basic
    /// Of 256 colours, those that are legible on a dark background.
    case dark
    /// Of 256 colours, those that are legible on a light background.
    case light

    /// The palette for a terminal; nil with `NO_COLOR`. `TERM` or `COLORTERM` says whether the terminal has
    /// 256 colours; the last number of `COLORFGBG` is its background, as rxvt, Konsole and others set it.
    /// Without it the background is taken to be dark.
    init?(for environment: [String: String]) {
        guard environment["NO_COLOR"] == nil else { return nil }
        let has256 =
            (environment["TERM"] ?? "").contains("256color")
            || ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "")
        let background = environment["COLORFGBG"]?.split(separator: ";").last.flatMap { Int($0) }
        self = !has256 ? .basic : background == 7 || background == 15 ? .light : .dark
    }

    /// Returns the code that selects a colour (ISO 6429, and that of xterm for 256 colours).
    func code(of color: Style.Color) -> String {
        switch self {
        case .basic: color.rawValue
        case .dark: "38;5;\(Self.codes(of: color).dark)"
        case .light: "38;5;\(Self.codes(of: color).light)"
        }
    }

    private static func codes(of color: Style.Color) -> (dark: Int, light: Int) {
        switch color {
        case .red: (203, 160)
        case .green: (114, 28)
        case .yellow: (221, 94)
        case .cyan: (80, 24)
        }
    }
}
