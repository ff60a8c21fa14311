import Testing
import UserText

@Suite("A text that a user writes")
struct WrittenTextTests {
    private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

    @Test(
        "a byte order mark at the start is dropped, and each end of a line becomes a line feed",
        arguments: [
            ("a\nb\n", "a\nb\n"), ("a\r\nb\r\n", "a\nb\n"), ("a\rb", "a\nb"), ("a\r\n\r\nb", "a\n\nb"),
            ("a\r\r\nb", "a\n\nb"), ("", ""), ("å\u{2028}\u{feff}", "å\u{2028}\u{feff}"),
        ], [true, false])
    func unified(texts: (written: String, expected: String), hasMark: Bool) {
        let bytes = (hasMark ? Self.mark : []) + Array(texts.written.utf8)
        #expect(WrittenText.text(of: bytes).map { Array($0.utf8) } == Array(texts.expected.utf8))
        let first = texts.expected.split(separator: "\n", omittingEmptySubsequences: false).first ?? ""
        #expect(WrittenText.firstLine(of: bytes) == first)
    }

    @Test("bytes that are not UTF-8 are refused")
    func invalid() {
        #expect(WrittenText.text(of: [0x61, 0xe5]) == nil)
        #expect(WrittenText.text(of: [0xff, 0xfe, 0x61, 0x00]) == nil)
    }
}
