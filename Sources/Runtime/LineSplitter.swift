/// Makes lines of bytes that arrive piece by piece.
package struct LineSplitter: Sendable {
    /// Bytes in one line; what is longer comes as several.
    package static let limitBytes = 64 * 1_024

    private var rest: [UInt8] = []

    /// A splitter without input so far.
    package init() {}

    /// The lines that are complete with those bytes.
    package mutating func take(_ bytes: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines.append(takeRest())
            } else {
                rest.append(byte)
                if rest.count == Self.limitBytes { lines.append(takeRest()) }
            }
        }
        return lines
    }

    /// What is there of a line that nobody has ended; nil for nothing.
    package mutating func finish() -> String? {
        rest.isEmpty ? nil : takeRest()
    }

    private mutating func takeRest() -> String {
        defer { rest.removeAll(keepingCapacity: true) }
        return String(decoding: rest, as: UTF8.self)
    }
}
