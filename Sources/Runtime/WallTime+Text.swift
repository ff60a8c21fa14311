import Glibc
public import Stepping

extension WallTime {
    /// The moment as ISO 8601 writes it, in UTC, with milliseconds: `2026-01-31T12:00:00.123Z`.
    public var iso8601: String {
        let milliseconds = ((unixMilliseconds % 1_000) + 1_000) % 1_000
        var seconds = time_t((unixMilliseconds - milliseconds) / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let date = [
            padded(parts.tm_year + 1_900, 4), padded(parts.tm_mon + 1, 2), padded(parts.tm_mday, 2),
        ].joined(separator: "-")
        let time = [padded(parts.tm_hour, 2), padded(parts.tm_min, 2), padded(parts.tm_sec, 2)]
            .joined(separator: ":")
        return "\(date)T\(time).\(padded(Int32(milliseconds), 3))Z"
    }

    private func padded(_ number: Int32, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
