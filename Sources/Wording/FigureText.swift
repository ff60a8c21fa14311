import Glibc

/// Figures as people read them.
public enum FigureText {
    /// A time in three digits and its unit: `93.4 µs`, `1.23 ms`, `12.3 s`; a dash where there is none.
    public static func time(us: Double?) -> String {
        guard let us else { return "–" }
        switch us {
        case 0: return "0 µs"
        case ..<999.5: return "\(digits(us)) µs"
        case ..<999_500: return "\(digits(us / 1_000)) ms"
        default: return "\(digits(us / 1_000_000)) s"
        }
    }

    /// A rate: `4,998/s`, `0.5/s`.
    public static func rate(_ perSecond: Double) -> String {
        perSecond > 0 && perSecond < 99.95
            ? "\(decimal(perSecond, places: 1))/s" : "\(count(Int(perSecond.rounded())))/s"
    }

    /// A number with its thousands apart: `50,031`.
    public static func count(_ count: Int) -> String {
        var digits = String(count.magnitude)
        var groups: [String] = []
        while digits.utf8.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (count < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }

    /// By which part something has grown: `+7.0 %`.
    public static func growth(_ part: Double?) -> String {
        guard let part else { return "–" }
        return "\(part < 0 ? "−" : "+")\(decimal(abs(part) * 100, places: 1)) %"
    }

    /// A number with that many decimals.
    public static func decimal(_ number: Double, places: Int) -> String {
        let unit = pow(10, Double(places))
        let scaled = Int((abs(number) * unit).rounded())
        let sign = number < 0 && scaled > 0 ? "-" : ""
        guard places > 0 else { return "\(sign)\(scaled)" }
        let (whole, rest) = scaled.quotientAndRemainder(dividingBy: Int(unit))
        let digits = String(rest)
        return "\(sign)\(whole)." + String(repeating: "0", count: places - digits.utf8.count) + digits
    }

    /// A number below a thousand in three digits.
    private static func digits(_ number: Double) -> String {
        switch number {
        case ..<9.995: decimal(number, places: 2)
        case ..<99.95: decimal(number, places: 1)
        default: decimal(number, places: 0)
        }
    }
}
