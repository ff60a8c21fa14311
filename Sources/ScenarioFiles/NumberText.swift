import Wording

/// Numbers of a scenario, for people.
enum NumberText {
    /// A number with its thousands apart, and as few decimals as say the same: `3,600`, `0.05`.
    static func of(_ number: Double) -> String {
        guard number == number.rounded(), abs(number) < 1e15 else { return "\(number)" }
        return FigureText.count(Int(number))
    }
}
