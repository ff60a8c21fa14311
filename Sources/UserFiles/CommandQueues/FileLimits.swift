import UserText

/// The bounds of a file.
public enum FileLimits {
    /// Bytes in a file.
    public static let bytes = 64 * 1_024
    /// The problems listed for one file; further problems are only counted.
    public static let problems = 20
    /// The depth of nested lists and mappings; the format itself needs five.
    static let depth = 8
}

/// The display format of numbers in messages about files.
enum NumberText {
    /// Returns a number with thousands separators and the fewest decimals that are exact: `3,600`, `0.05`.
    static func of(_ number: Double) -> String {
        guard number == number.rounded(), abs(number) < 1e15 else { return "\(number)" }
        return FigureText.count(Int(number))
    }
}
