import ArgumentParser

/// A size in bytes with a binary unit, such as `512M` or `1G`; a K is 1,024.
enum ByteText {
    private static let units: [(name: Character, bytes: Int)] = [
        ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10),
    ]

    /// Parses a size.
    ///
    /// - Throws: `ValidationError` if the text is not a size, or the size is a tebibyte or more.
    static func parse(_ text: String) throws -> Int {
        guard let unit = units.first(where: { text.uppercased().hasSuffix(String($0.name)) }),
            let number = Int(text.dropLast()), number > 0, number < (1 << 40) / unit.bytes
        else { throw ValidationError("write a whole number and a unit (K, M or G), such as 512M") }
        return number * unit.bytes
    }

    /// Formats a size in its largest unit with one decimal.
    static func text(_ bytes: Int) -> String {
        guard let unit = units.first(where: { bytes >= $0.bytes }) else { return "\(bytes) bytes" }
        let tenths = bytes * 10 / unit.bytes
        return "\(tenths / 10).\(tenths % 10) \(unit.name)iB"
    }
}
