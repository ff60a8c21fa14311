/// A text that a user writes, with any editor: it may begin with a byte order mark, and its lines may end as
/// on Windows.
public enum WrittenText {
    private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    private static let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))

    /// Returns the text without the mark, whose lines end with line feeds; nil if it is not UTF-8.
    public static func text(of bytes: [UInt8]) -> String? {
        String(validating: unified(bytes), as: UTF8.self)
    }

    /// Returns the first line, without the mark and its end.
    public static func firstLine(of bytes: [UInt8]) -> String {
        String(decoding: unified(bytes).prefix { $0 != lineFeed }, as: UTF8.self)
    }

    private static func unified(_ bytes: [UInt8]) -> [UInt8] {
        let content = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        var unified: [UInt8] = []
        unified.reserveCapacity(content.count)
        var previous: UInt8?
        for byte in content {
            if byte != lineFeed || previous != carriageReturn {
                unified.append(byte == carriageReturn ? lineFeed : byte)
            }
            previous = byte
        }
        return unified
    }
}
