/// One line of a process's log.
struct LogEntry: Equatable, Sendable {
    /// The process.
    let name: String
    /// The line without its end.
    let text: String

    /// The moment at the start of a line, as `2026-01-31T12:00:00.123Z`; nil where there is none.
    ///
    /// Such texts are in the order of their moments.
    static func time(of line: String) -> String? {
        let pattern = Array("0000-00-00T00:00:00.000Z".utf8)
        let start = Array(line.utf8.prefix(pattern.count))
        guard start.count == pattern.count else { return nil }
        for (byte, expected) in zip(start, pattern) {
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            guard expected == UInt8(ascii: "0") ? isDigit : byte == expected else { return nil }
        }
        return String(decoding: start, as: UTF8.self)
    }
}
