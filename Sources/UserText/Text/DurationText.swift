import CMath
import FleetProtocol

/// Parser and formatter of durations: `5s`, `200ms`, `1.5s`, `2m`, `1h`.
public enum DurationText {
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        public let text: String
        public let reason: String

        public var description: String { "'\(text)' is not a duration: \(reason)" }
    }

    /// The longest duration that can be parsed: 10,000 hours.
    public static let limit: Duration = .seconds(36_000_000)

    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
    ]

    /// Parses a duration: a decimal number and its unit, without a blank between them. Digits after the sixth
    /// decimal are ignored. Zero is a valid duration; the caller may reject it. Negative ones and those above
    /// ``limit`` are invalid.
    public static func parse(_ text: String) throws(Invalid) -> Duration {
        func invalid(_ reason: String) -> Invalid { Invalid(text: text, reason: reason) }
        guard !text.hasPrefix("-") else { throw invalid("it is negative; a duration is zero or more") }
        guard let unit = units.first(where: { text.hasSuffix($0.name) }) else {
            throw invalid("write a number and a unit (ms, s, m or h), such as 5s or 200ms")
        }
        let number = text.dropLast(unit.name.utf8.count)
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy(\.isDecimal) else {
            throw invalid("write a number before the unit, such as 5s or 1.5s")
        }
        guard let whole = Int64(parts[0]), whole <= limit.wholeNanoseconds / unit.nanoseconds else {
            throw invalid("it is longer than \(Self.text(limit))")
        }
        let millionths = parts.count == 2 ? Int64((parts[1] + "000000").prefix(6)) ?? 0 : 0
        let duration = Duration.nanoseconds(
            whole * unit.nanoseconds + unit.nanoseconds / 1_000 * millionths / 1_000)
        guard duration <= limit else { throw invalid("it is longer than \(Self.text(limit))") }
        return duration
    }

    /// Returns a duration as text: whole hours or minutes, else seconds with up to three decimals, rounded
    /// down; below a second, milliseconds.
    public static func text(_ duration: Duration) -> String {
        let nanoseconds = duration.wholeNanoseconds
        guard nanoseconds >= 0 else { return "-" + text(.zero - duration) }
        if nanoseconds == 0 { return "0s" }
        if let unit = units.dropFirst(2).last(where: { nanoseconds.isMultiple(of: $0.nanoseconds) }) {
            return "\(nanoseconds / unit.nanoseconds)\(unit.name)"
        }
        guard nanoseconds >= 1_000_000_000 else { return decimal(thousandths: nanoseconds / 1_000) + "ms" }
        return decimal(thousandths: nanoseconds / 1_000_000) + "s"
    }

    /// Formats a number of thousandths without trailing zeros.
    private static func decimal(thousandths: Int64) -> String {
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1_000)
        guard rest != 0 else { return "\(whole)" }
        var digits = String("\(1_000 + rest)".dropFirst())
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(whole).\(digits)"
    }
}

public enum Count {
    /// Returns the number with its noun, whose plural ends in `s`: `1 device`, `2 devices`.
    public static func of(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}

public enum FigureText {
    /// Returns a time with three digits and its unit: `93.4 µs`, `1.23 ms`, `12.3 s`; a dash for nil.
    public static func time(us: Double?) -> String {
        guard let us else { return "–" }
        switch us {
        case 0: return "0 µs"
        case ..<999.5: return "\(digits(us)) µs"
        case ..<999_500: return "\(digits(us / 1_000)) ms"
        default: return "\(digits(us / 1_000_000)) s"
        }
    }

    /// Returns a rate: `4,998/s`, `0.5/s`.
    public static func rate(_ perSecond: Double) -> String {
        perSecond > 0 && perSecond < 99.95
            ? "\(decimal(perSecond, places: 1))/s" : "\(count(Int(perSecond.rounded())))/s"
    }

    /// Returns a number with thousands separators: `50,031`.
    public static func count(_ count: Int) -> String {
        var digits = String(count.magnitude)
        var groups: [String] = []
        while digits.utf8.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (count < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }

    /// Returns a relative growth in percent: `+7.0 %`; a dash for nil.
    public static func growth(_ part: Double?) -> String {
        guard let part else { return "–" }
        return "\(part < 0 ? "−" : "+")\(decimal(abs(part) * 100, places: 1)) %"
    }

    public static func decimal(_ number: Double, places: Int) -> String {
        let unit = pow(10, Double(places))
        let scaled = Int((abs(number) * unit).rounded())
        let sign = number < 0 && scaled > 0 ? "-" : ""
        guard places > 0 else { return "\(sign)\(scaled)" }
        let (whole, rest) = scaled.quotientAndRemainder(dividingBy: Int(unit))
        let digits = String(rest)
        return "\(sign)\(whole)." + String(repeating: "0", count: places - digits.utf8.count) + digits
    }

    /// Returns a number below 1,000 with three digits.
    private static func digits(_ number: Double) -> String {
        switch number {
        case ..<9.995: decimal(number, places: 2)
        case ..<99.95: decimal(number, places: 1)
        default: decimal(number, places: 0)
        }
    }
}

extension [UInt8] {
    /// Appends a number in decimal, with leading zeros up to that many digits.
    public mutating func append(decimal number: UInt64, digits: Int = 1) {
        var (divisor, count) = (UInt64(1), 1)
        while number / divisor >= 10 || count < digits {
            divisor *= 10
            count += 1
        }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
