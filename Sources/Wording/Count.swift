/// How many there are of something, in words.
public enum Count {
    /// The number with its noun: `1 device`, `2 devices`.
    ///
    /// - Parameter noun: In the singular; its plural ends in `s`.
    public static func of(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
