import ArgumentParser

/// Sizes as people write them: `512M`, `1G`; a K is 1,024.
enum ByteText {
    private static let units: [(name: Character, bytes: Int)] = [
        ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10),
    ]

    /// The size that a text spells.
    ///
    /// - Throws: `ValidationError` where it spells none, or one of a tebibyte and more.
    static func parse(_ text: String) throws -> Int {
        guard let unit = units.first(where: { text.uppercased().hasSuffix(String($0.name)) }),
            let number = Int(text.dropLast()), number > 0, number < (1 << 40) / unit.bytes
        else { throw ValidationError("write a whole number and a unit (K, M or G), such as 512M") }
        return number * unit.bytes
    }

    /// The text of a size, in the largest unit that it reaches, with one decimal.
    static func text(_ bytes: Int) -> String {
        guard let unit = units.first(where: { bytes >= $0.bytes }) else { return "\(bytes) bytes" }
        let tenths = bytes * 10 / unit.bytes
        return "\(tenths / 10).\(tenths % 10) \(unit.name)iB"
    }
}
