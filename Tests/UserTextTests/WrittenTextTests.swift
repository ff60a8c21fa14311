import FleetProtocol
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

@Suite("Comma-separated values")
struct CSVTextTests {
    @Test("a record has quotes around fields with commas, quotes and line breaks")
    func quoted() {
        #expect(CSVText().record(["a", "b,c", "\"", "d\ne", "=1+1"]) == "a,\"b,c\",\"\"\"\",\"d\ne\",=1+1")
    }

    @Test(
        "in a record for spreadsheets an apostrophe precedes formulas, and signed numbers stay numbers",
        arguments: [
            ("=1+1", "'=1+1"), ("+cmd", "'+cmd"), ("-2+3", "'-2+3"), ("@SUM(A1)", "'@SUM(A1)"),
            ("\tx", "'\tx"), ("=a,b", "\"'=a,b\""), ("-62", "-62"), ("+2.5", "+2.5"), ("-", "-"), ("", ""),
            ("Bedroom = 1", "Bedroom = 1"), ("'=1", "'=1"), ("-nan", "'-nan"),
        ])
    func safe(field: String, expected: String) {
        #expect(CSVText(isSafe: true).record([field]) == expected)
    }
}

@Suite("Text for HTML")
struct MarkupTextTests {
    @Test(
        "characters of markup are entities, also with a combining accent",
        arguments: [
            ("a < b > c & \"d\" 'e'", "a &lt; b &gt; c &amp; &quot;d&quot; &#x27;e&#x27;"),
            ("<\u{301}b>", "&lt;\u{301}b&gt;"), ("Küche 🏕️", "Küche 🏕️"), ("", ""),
        ])
    func escaped(text: String, expected: String) { #expect(MarkupText.escaped(text) == expected) }
}

@Suite("JSON on one line")
struct JSONObjectTests {
    @Test("members of an object keep their order")
    func order() {
        let value: JSONObject = ["b": true, "a": [nil, -1] as [Int?], "empty": [:] as JSONObject]
        #expect(value.line == #"{"b":true,"a":[null,-1],"empty":{}}"#)
    }

    @Test(
        "strings are escaped, so that JSON is one line without control characters",
        arguments: [
            ("a\"b\\c", #""a\"b\\c""#), ("a\nb\tc", #""a\nb\tc""#), ("\u{1b}[2J", #""\u001b[2J""#),
            ("\u{202e}x", #""\u202ex""#), ("\u{9b}", #""\u009b""#), ("zażółć ☃ 👩‍🔧", #""zażółć ☃ 👩\u200d🔧""#),
            ("\u{e0001}", #""\udb40\udc01""#),
        ])
    func escaping(text: String, expected: String) {
        #expect(String(decoding: JSONWriter.bytes(of: text), as: UTF8.self) == expected)
    }

    @Test("a number that JSON cannot represent is null")
    func numbers() {
        #expect(
            (["numbers": [.nan, .infinity, 2] as [Double], "largest": UInt64.max] as JSONObject).line
                == #"{"numbers":[null,null,2.0],"largest":18446744073709551615}"#)
    }
}

@Suite("Durations as text")
struct DurationTextTests {
    @Test(
        "a duration is parsed",
        arguments: [
            ("5s", Duration.seconds(5)), ("200ms", .milliseconds(200)), ("1.5s", .milliseconds(1_500)),
            ("2m", .seconds(120)), ("1h", .seconds(3_600)), ("0s", .zero), ("0.25ms", .microseconds(250)),
            ("1.5h", .seconds(5_400)), ("10000h", .seconds(36_000_000)), ("007s", .seconds(7)),
        ])
    func parsed(text: String, expected: Duration) throws {
        #expect(try DurationText.parse(text) == expected)
    }

    @Test(
        "an invalid duration is refused",
        arguments: [
            "", "5", "s", "5 s", " 5s", "5s ", "5S", "five s", "1.s", ".5s", "1.2.3s", "1e3s", "+5s", "5us",
            "5d",
            "0x5s", "５s", "10001h", "99999999999999999999s", "10000.5h", "1,5s",
        ])
    func refused(text: String) {
        #expect(throws: DurationText.Invalid.self) { try DurationText.parse(text) }
    }

    @Test("a negative duration is refused as negative", arguments: ["-5s", "-0.1ms", "-x"])
    func negative(text: String) {
        let error = #expect(throws: DurationText.Invalid.self) { try DurationText.parse(text) }
        #expect(
            error?.description
                == "'\(text)' is not a duration: it is negative; a duration is zero or more")
    }

    @Test(
        "a duration is printed",
        arguments: [
            (Duration.zero, "0s"), (.milliseconds(200), "200ms"), (.microseconds(250), "0.25ms"),
            (.seconds(5), "5s"), (.milliseconds(1_500), "1.5s"), (.seconds(59), "59s"), (.seconds(60), "1m"),
            (.seconds(90), "90s"), (.seconds(7_200), "2h"), (.milliseconds(61_001), "61.001s"),
            (.seconds(-2), "-2s"),
        ])
    func written(duration: Duration, expected: String) {
        #expect(DurationText.text(duration) == expected)
    }

    @Test(
        "a printed duration of whole milliseconds is parsed as the same",
        arguments: [1, 999, 1_000, 1_001, 59_999, 60_000, 3_600_000, 3_600_001, 86_400_000])
    func roundTrip(milliseconds: Int) throws {
        let duration = Duration.milliseconds(milliseconds)
        #expect(try DurationText.parse(DurationText.text(duration)) == duration)
    }
}

@Suite("Versions of the executables")
struct ProgramVersionTests {
    @Test("name a debug build, so that nobody takes its latencies for those of a release build")
    func debugBuild() {
        #expect(
            ProgramVersion.summary(release: "1.2.3", wire: "4", isDebugBuild: true)
                == "1.2.3, protocol 4, debug build")
        #expect(
            ProgramVersion.summary(release: "1.2.3", wire: "4", isDebugBuild: false) == "1.2.3, protocol 4")
    }

    @Test("are lines of a name and a version")
    func lines() {
        let lines = ProgramVersion.text(of: "fleet").split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines[0] == ["fleet", Substring(ProgramVersion.release)])
        #expect(lines[1] == ["protocol", "\(Limits.protocolVersion)"])
        #expect(lines.dropFirst(2) == (ProgramVersion.isDebugBuild ? [["build", "debug"]] : []))
    }
}
