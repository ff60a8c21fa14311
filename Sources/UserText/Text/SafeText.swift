public import FleetProtocol

/// Sanitizes untrusted text for a terminal.
///
/// The result has no control, bidirectional or other invisible characters, and has the width that
/// ``DisplayWidth`` measures. Letters of all scripts are unchanged.
public enum SafeText {
    /// The maximum number of combining marks after a character.
    public static let marksPerCharacter = 2

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
        var safe = String.UnicodeScalarView()
        var marks = marksPerCharacter
        for scalar in text.unicodeScalars {
            switch treatment(of: scalar) {
            case .keep:
                safe.append(scalar)
                marks = 0
            case .replace(let other):
                safe.append(other)
                marks = other == " " ? marksPerCharacter : 0
            case .combine:
                guard marks < marksPerCharacter else { continue }
                safe.append(scalar)
                marks += 1
            case .drop: continue
            }
        }
        return trimmed(safe)
    }

    /// Returns the text of several lines, in which other characters that a terminal obeys or hides are marks.
    public static func ofLines(_ text: String) -> String {
        let safe = text.unicodeScalars.map { $0 == "\n" || isSafe($0) ? $0 : mark }
        return String(String.UnicodeScalarView(safe))
    }

    /// Whether a text can be the name of a device: 1 to ``Limits/nameBytes`` bytes of visible characters, and
    /// no spaces at its ends.
    public static func isName(_ text: String) -> Bool {
        (1...Limits.nameBytes).contains(text.utf8.count) && isVisible(text)
    }

    /// Whether a terminal shows each character of the text unchanged; true for an empty text.
    public static func isVisible(_ text: String) -> Bool { of(text).utf8.elementsEqual(text.utf8) }

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

/// A fingerprint of content.
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
