public import FleetProtocol

public enum TimeText {
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// Returns a time in UTC (ISO 8601): `2026-01-31T12:00:00.123Z`.
    public static func iso8601(_ time: WallTime) -> String {
        var bytes: [UInt8] = []
        append(date: time, to: &bytes)
        bytes.append(UInt8(ascii: "T"))
        append(timeOfDay: time, eastOfUTC: .zero, to: &bytes)
        bytes.append(UInt8(ascii: "Z"))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a local time in seconds, at an offset east of UTC: `2026-01-31 13:00:00`.
    public static func local(_ time: WallTime, eastOfUTC offset: Duration) -> String {
        "\(date(time, eastOfUTC: offset)) \(timeOfDay(time, eastOfUTC: offset).prefix(8))"
    }

    /// Returns a local date, at an offset east of UTC: `2026-01-31`.
    public static func date(_ time: WallTime, eastOfUTC offset: Duration) -> String {
        var bytes: [UInt8] = []
        append(date: time.advanced(by: offset), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends a time in UTC in seconds, without a zone: `2026-01-31T12:00:00`.
    public static func append(second time: WallTime, to output: inout [UInt8]) {
        append(date: time, to: &output)
        output.append(UInt8(ascii: "T"))
        append(secondOfDay: millisecondOfDay(time) / 1_000, to: &output)
    }

    /// Returns a time of day, `12:00:00.123`, at an offset east of UTC.
    public static func timeOfDay(_ time: WallTime, eastOfUTC offset: Duration = .zero) -> String {
        var bytes: [UInt8] = []
        append(timeOfDay: time, eastOfUTC: offset, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the bytes of ``timeOfDay(_:eastOfUTC:)``.
    public static func append(
        timeOfDay time: WallTime, eastOfUTC offset: Duration, to output: inout [UInt8]
    ) {
        let day = millisecondOfDay(time.advanced(by: offset))
        append(secondOfDay: day / 1_000, to: &output)
        output.append(UInt8(ascii: "."))
        output.append(decimal: day % 1_000, digits: 3)
    }

    /// Returns an age in one unit: `0s`, `59s`, `3m`, `2h`, `400d`; never negative.
    public static func age(_ duration: Duration) -> String {
        let seconds = max(0, duration.wholeMilliseconds / 1_000)
        return switch seconds {
        case ..<60: "\(seconds)s"
        case ..<3_600: "\(seconds / 60)m"
        case ..<86_400: "\(seconds / 3_600)h"
        default: "\(seconds / 86_400)d"
        }
    }

    /// Returns a duration with about three digits: `0.21 ms`, `12.3 ms`, `1.25 s`.
    public static func span(microseconds: UInt64) -> String {
        switch microseconds {
        case ..<10_000: "\(decimal(microseconds / 10, places: 2)) ms"
        case ..<1_000_000: "\(decimal(microseconds / 100, places: 1)) ms"
        default: "\(decimal(microseconds / 10_000, places: 2)) s"
        }
    }

    /// Formats a number of tenths or hundredths with a decimal point.
    private static func decimal(_ number: UInt64, places: Int) -> String {
        let unit: UInt64 = places == 1 ? 10 : 100
        return "\(number / unit).\(padded(number % unit, places))"
    }

    private static func padded(_ number: some BinaryInteger, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// Appends the date of a time: `2026-01-31`.
    private static func append(date time: WallTime, to output: inout [UInt8]) {
        let days = time.unixMilliseconds.dividedDown(by: millisecondsPerDay)
        let date = CivilDate(daysSince1970: days)
        output += padded(date.year, 4).utf8
        output.append(UInt8(ascii: "-"))
        output.append(decimal: UInt64(date.month), digits: 2)
        output.append(UInt8(ascii: "-"))
        output.append(decimal: UInt64(date.day), digits: 2)
    }

    private static func append(secondOfDay second: UInt64, to output: inout [UInt8]) {
        output.append(decimal: second / 3_600, digits: 2)
        output.append(UInt8(ascii: ":"))
        output.append(decimal: second / 60 % 60, digits: 2)
        output.append(UInt8(ascii: ":"))
        output.append(decimal: second % 60, digits: 2)
    }

    private static func millisecondOfDay(_ time: WallTime) -> UInt64 {
        UInt64(time.unixMilliseconds.rest(dividingBy: millisecondsPerDay))
    }
}

extension TimeText {
    private static let shape = Array("0000-00-00T00:00:00.000Z".utf8)

    /// Parses a time that a person writes: as ``moment(iso8601:)``, or without milliseconds, or with an
    /// offset from UTC such as `+01:00` in place of `Z`.
    public static func moment(written text: String) -> WallTime? {
        let zone = Array(text.utf8.suffix(6))
        let signs = [UInt8(ascii: "+"), UInt8(ascii: "-")]
        if zone.count == 6, let sign = zone.first, signs.contains(sign) {
            let digits = String(decoding: zone[1...], as: UTF8.self).split(separator: ":")
            guard zone[3] == UInt8(ascii: ":"), let hours = digits.first.flatMap({ UInt8($0) }), hours < 24,
                let minutes = digits.last.flatMap({ UInt8($0) }), minutes < 60
            else { return nil }
            let offset = Duration.seconds(Int(hours) * 3_600 + Int(minutes) * 60)
            let local = moment(written: "\(text.dropLast(6))Z")
            return local?.advanced(by: sign == UInt8(ascii: "+") ? .zero - offset : offset)
        }
        guard text.utf8.count == shape.count - ".000".utf8.count, text.hasSuffix("Z") else {
            return moment(iso8601: text)
        }
        return moment(iso8601: "\(text.dropLast()).000Z")
    }

    /// Parses a time of the form that ``iso8601(_:)`` writes; nil for another form and for impossible values.
    public static func moment(iso8601 text: some StringProtocol) -> WallTime? {
        let bytes = Array(text.utf8)
        guard bytes.count == shape.count else { return nil }
        for (byte, expected) in zip(bytes, shape) {
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            guard expected == UInt8(ascii: "0") ? isDigit : byte == expected else { return nil }
        }
        func number(_ range: Range<Int>) -> Int64 {
            bytes[range].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        }
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard let date = CivilDate(year: number(0..<4), month: number(5..<7), day: number(8..<10)),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let seconds = date.daysSince1970 * 86_400 + hour * 3_600 + minute * 60 + second
        return WallTime(unixMilliseconds: seconds * 1_000 + number(20..<23))
    }
}
