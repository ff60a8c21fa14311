public import FleetProtocol

/// Sanitizes untrusted text for a terminal. The result has no control, bidirectional or other invisible
/// characters, and has the width that ``DisplayWidth`` measures. Letters of all scripts are unchanged.
public enum SafeText {
    static let marksPerCharacter = 2

    /// The replacement for a character that cannot be shown.
    private static let mark: Unicode.Scalar = "\u{FFFD}"

    private enum Treatment: Equatable {
        case keep
        case combine
        case drop
        case replace(Unicode.Scalar)
    }

    /// Returns the sanitized text without blanks at its ends; empty if nothing is visible.
    public static func of(_ text: String) -> String {
        if isPlain(text) { return text }
        var safe = Sanitized()
        for scalar in text.unicodeScalars { safe.append(scalar) }
        return trimmed(safe.scalars)
    }

    /// Returns the stored form of a text: sanitized, except that each emoji keeps its selectors, joiners,
    /// skin tones and tags.
    public static func stored(_ text: String) -> String {
        if isPlain(text) { return text }
        var safe = Sanitized()
        for character in text {
            if EmojiSequence.isEmoji(character) {
                safe.append(whole: character.unicodeScalars)
            } else {
                for scalar in character.unicodeScalars { safe.append(scalar) }
            }
        }
        return trimmed(safe.scalars)
    }

    private struct Sanitized {
        private(set) var scalars = String.UnicodeScalarView()
        private var marks = marksPerCharacter

        mutating func append(_ scalar: Unicode.Scalar) {
            switch treatment(of: scalar) {
            case .keep:
                scalars.append(scalar)
                marks = 0
            case .replace(let other):
                scalars.append(other)
                marks = other == " " ? marksPerCharacter : 0
            case .combine:
                guard marks < marksPerCharacter else { return }
                scalars.append(scalar)
                marks += 1
            case .drop: return
            }
        }

        mutating func append(whole emoji: Character.UnicodeScalarView) {
            scalars.append(contentsOf: emoji)
            marks = 0
        }
    }

    /// Returns the text for comparisons: in lower case, with emoji as a terminal shows them.
    public static func folded(_ text: String) -> String {
        guard !isPlain(text) else { return text.lowercased() }
        let shown = text.unicodeScalars.filter { treatment(of: $0) != .drop }
        return String(String.UnicodeScalarView(shown)).lowercased()
    }

    /// Returns the text of several lines, in which other characters that a terminal obeys or hides are marks.
    public static func ofLines(_ text: String) -> String {
        var safe = String.UnicodeScalarView()
        for character in text {
            let isEmoji = EmojiSequence.isEmoji(character)
            for scalar in character.unicodeScalars {
                if scalar == "\n" || isSafe(scalar) {
                    safe.append(scalar)
                } else if !isEmoji {
                    safe.append(mark)
                }
            }
        }
        return String(safe)
    }

    /// Whether a text can be the name of a device: 1 to ``Limits/nameBytes`` bytes of visible characters, and
    /// no spaces at its ends.
    public static func isName(_ text: String) -> Bool {
        (1...Limits.nameBytes).contains(text.utf8.count) && isVisible(text)
    }

    /// Whether each character of the text is visible; true for an empty text.
    public static func isVisible(_ text: String) -> Bool { stored(text).utf8.elementsEqual(text.utf8) }

    /// Why a text is not visible, such as `U+202E is not visible`; nil if it is.
    public static func problem(in text: String) -> String? {
        for character in text where !EmojiSequence.isEmoji(character) {
            if let hidden = character.unicodeScalars.first(where: { !isSafe($0) }) {
                return "U+\(hexadecimal(hidden)) is not visible"
            }
        }
        if isVisible(text) { return nil }
        let hasSpaces = text.first == " " || text.last == " "
        return hasSpaces ? "it has spaces at its ends" : "it has too many combining marks"
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }

    /// Returns the name of a device, sanitized; its ID if no character of the name is visible.
    public static func label(_ name: String?, of device: DeviceID) -> String {
        let safe = name.map(of) ?? ""
        return safe.isEmpty ? device.description : safe
    }

    /// Whether a character can be written to a terminal unchanged.
    public static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch treatment(of: scalar) {
        case .keep, .combine: true
        case .drop, .replace: false
        }
    }

    /// Whether the text is visible ASCII, the common case.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7e).contains($0) } && text.utf8.first != 0x20
            && text.utf8.last != 0x20
    }

    private static func trimmed(_ text: String.UnicodeScalarView) -> String {
        let start = text.prefix { $0 == " " }.endIndex
        guard start < text.endIndex else { return "" }
        let rest = text[start...]
        let end = rest.lastIndex { $0 != " " } ?? start
        return String(String.UnicodeScalarView(rest[...end]))
    }

    private static func treatment(of scalar: Unicode.Scalar) -> Treatment {
        if (0x20...0x7e).contains(scalar.value) { return .keep }
        // The braille pattern without dots looks like a blank, but Unicode does not classify it as one.
        if scalar.value == 0x2800 { return .replace(" ") }
        let properties = scalar.properties
        // Terminals draw joiners, variation selectors and skin tones with different widths, so they are
        // removed.
        if properties.isDefaultIgnorableCodePoint || properties.isEmojiModifier { return .drop }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
            return .replace(mark)
        case .format: return .drop
        case .spaceSeparator: return .replace(" ")
        case .nonspacingMark, .enclosingMark: return .combine
        case .spacingMark, .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter,
            .otherLetter, .decimalNumber, .letterNumber, .otherNumber, .connectorPunctuation,
            .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation,
            .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
            return .keep
        @unknown default: return .replace(mark)
        }
    }
}

/// Emoji of several scalars, such as a family (Unicode Technical Standard #51).
private enum EmojiSequence {
    private static let (joiner, selector, keycap): (Unicode.Scalar, Unicode.Scalar, Unicode.Scalar) =
        ("\u{200d}", "\u{fe0f}", "\u{20e3}")
    private static let (flag, lastTag): (Unicode.Scalar, Unicode.Scalar) = ("\u{1f3f4}", "\u{e007f}")
    private static let tags: ClosedRange<Unicode.Scalar> = "\u{e0020}"..."\u{e007e}"

    /// Whether a character is one emoji, or several that are joined, with all its scalars.
    static func isEmoji(_ character: Character) -> Bool {
        var rest = character.unicodeScalars[...]
        repeat {
            guard skipOne(&rest) else { return false }
            if rest.isEmpty { return true }
        } while rest.popFirst() == joiner
        return false
    }

    /// Skips an emoji with its selector, skin tone or tags; returns false without one.
    private static func skipOne(_ rest: inout Substring.UnicodeScalarView) -> Bool {
        guard let base = rest.popFirst(), base.properties.isEmoji else { return false }
        guard !base.isASCII else {
            // Digits are emoji only as keycaps.
            return rest.popFirst() == selector && rest.popFirst() == keycap
        }
        switch rest.first {
        case selector: rest.removeFirst()
        case let next? where next.properties.isEmojiModifier:
            guard base.properties.isEmojiModifierBase else { return false }
            rest.removeFirst()
        case let next? where base == flag && tags.contains(next):
            rest = rest.drop { tags.contains($0) }
            return rest.popFirst() == lastTag
        default: break
        }
        return true
    }
}

public enum Fingerprint {
    /// Returns a hash as sixteen hexadecimal digits (FNV-1a, 64 bits).
    public static func of(_ bytes: [UInt8]) -> String {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }.hexadecimal
    }
}

/// The version of the executables, as `--version` prints it.
public enum ProgramVersion {
    /// The release, by semantic versioning: the same for all executables.
    public static let release = "0.1.0"

    /// Whether the executable was built without optimization, and is therefore several times slower.
    public static var isDebugBuild: Bool {
        #if DEBUG
        true
        #else
        false
        #endif
    }

    /// The release, the version of the wire contract, and whether it is a debug build, in one line.
    public static var summary: String {
        summary(release: release, wire: "\(Limits.protocolVersion)", isDebugBuild: isDebugBuild)
    }

    /// The same for the version of another executable.
    public static func summary(release: String, wire: String, isDebugBuild: Bool) -> String {
        "\(release), protocol \(wire)\(isDebugBuild ? ", debug build" : "")"
    }

    /// The lines for one executable: its release, the version of the wire contract, and `build debug` if it
    /// is a debug build, each a name, a blank and a version.
    public static func text(of program: String) -> String {
        "\(program) \(release)\nprotocol \(Limits.protocolVersion)\(isDebugBuild ? "\nbuild debug" : "")"
    }
}

extension String {
    package var nonEmpty: String? { isEmpty ? nil : self }
}
