/// A time on the clocks of some place, to the minute.
public struct LocalTime: Hashable, Sendable, CustomStringConvertible {
    /// Minutes of a day.
    public static let minutesOfDay: ClosedRange<UInt16> = 0...1_439

    /// Minutes after midnight, one of ``minutesOfDay``.
    public let minuteOfDay: UInt16

    /// So many minutes after midnight; nil when a day has no such minute.
    public init?(minuteOfDay: some BinaryInteger) {
        guard let minute = UInt16(exactly: minuteOfDay), Self.minutesOfDay.contains(minute) else {
            return nil
        }
        self.minuteOfDay = minute
    }

    /// What a text of five characters says, from `00:00` to `23:59`; nil when it says anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isASCIIDigit) }),
            let hour = UInt16(parts[0]), let minute = UInt16(parts[1]), minute < 60
        else { return nil }
        self.init(minuteOfDay: hour * 60 + minute)
    }

    /// Hours and minutes: `08:30`.
    public var description: String {
        let (hour, minute) = minuteOfDay.quotientAndRemainder(dividingBy: 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
