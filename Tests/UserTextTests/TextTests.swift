import FleetProtocol
import Testing
import UserText

@Suite("Text on a terminal")
struct TextTests {
    @Test(
        "a device may have a name of visible characters, which is not too long",
        arguments: [
            ("Attic", true), ("Büro 2 · 東京", true), (String(repeating: "n", count: 64), true), ("", false),
            (String(repeating: "n", count: 65), false), (" Attic", false), ("Attic ", false),
            ("\u{1b}[2J", false), ("A\u{200b}ttic", false), ("\u{202e}cittA", false), ("a\nb", false),
            ("\u{301}a", false),
        ])
    func deviceName(text: String, isAllowed: Bool) { #expect(SafeText.isName(text) == isAllowed) }

    @Test(
        "an emoji with its selectors, joiners, skin tones and tags is visible, and stored whole",
        arguments: [
            "Kids ❤\u{fe0f}", "Camp 🏕\u{fe0f} 2", "Family 👨\u{200d}👩\u{200d}👧", "👍\u{1f3fd}",
            "👩\u{1f3fd}\u{200d}💻", "❤\u{fe0f}\u{200d}🔥", "👁\u{fe0f}\u{200d}🗨\u{fe0f}", "1\u{fe0f}\u{20e3}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", "🇩🇪",
        ])
    func emoji(text: String) {
        #expect(SafeText.isName(text) && SafeText.problem(in: text) == nil)
        #expect(SafeText.stored(text).unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test(
        "the character that keeps a text from being visible is named",
        arguments: [
            ("\u{202e}cittA", "U+202E is not visible"), ("A\u{200b}ttic", "U+200B is not visible"),
            ("a\u{200d}b", "U+200D is not visible"), ("a\u{fe0f}", "U+FE0F is not visible"),
            ("Room 1\u{fe0f}", "U+FE0F is not visible"), ("❤\u{fe0f}\u{fe0f}", "U+FE0F is not visible"),
            ("❤\u{200d}", "U+200D is not visible"), ("👩\u{200d}a", "U+200D is not visible"),
            ("\u{1f3fd}\u{200d}x", "U+1F3FD is not visible"), ("🏴\u{e0067}", "U+E0067 is not visible"),
            ("😀\u{1f3fd}", "U+1F3FD is not visible"), ("\u{1b}[2J", "U+001B is not visible"),
            ("a\u{a0}b", "U+00A0 is not visible"), ("\u{e000}", "U+E000 is not visible"),
            (" Attic", "it has spaces at its ends"), ("\u{301}a", "it has too many combining marks"),
        ])
    func problem(text: String, expected: String) {
        #expect(SafeText.problem(in: text) == expected)
        #expect(!SafeText.isName(text))
    }

    @Test("a stored text has no characters that a terminal obeys or hides, except in emoji")
    func stored() {
        let stored = SafeText.stored(" \u{202e}Kids ❤\u{fe0f}\u{200b}\u{1b} ")
        #expect(stored.unicodeScalars.elementsEqual("Kids ❤\u{fe0f}\u{fffd}".unicodeScalars))
    }

    @Test("columns are aligned with emoji that terminals would draw with different widths")
    func emojiTable() {
        var table = TextTable([("NAME", .left), ("STATE", .left)])
        for name in ["Kids ❤\u{fe0f}", "Family 👨\u{200d}👩\u{200d}👧", "👍\u{1f3fd}", "Attic"] {
            table.add([name, "on"])
        }
        #expect(table.lines.dropFirst().map { DisplayWidth.of($0) } == [17, 17, 17, 17])
        // tmux 3.3a draws a heart with a selector in one column, and a thumb with a skin tone in four.
        #expect(
            !table.lines.joined().unicodeScalars.contains {
                "\u{fe0f}\u{200d}\u{1f3fd}".unicodeScalars.contains($0)
            })
    }

    @Test("a text of several lines keeps its indentation, and has marks in place of unsafe characters")
    func lines() {
        let safe = SafeText.ofLines("Error:\n  a\u{1b}]0;x\u{7}\r\u{202e}b ❤\u{fe0f}")
        #expect(safe == "Error:\n  a\u{fffd}]0;x\u{fffd}\u{fffd}\u{fffd}b ❤")
    }

    @Test(
        "a number has the required digits, and leading zeros up to a minimum",
        arguments: [
            (0, 1, "0"), (0, 3, "000"), (9, 1, "9"), (10, 1, "10"), (7, 2, "07"), (123, 2, "123"),
            (UInt64.max, 1, "18446744073709551615"), (10_000_000_000_000_000_000, 1, "10000000000000000000"),
        ])
    func decimal(number: UInt64, digits: Int, expected: String) {
        var bytes = Array("x".utf8)
        bytes.append(decimal: number, digits: digits)
        #expect(bytes == Array("x\(expected)".utf8))
    }

    @Test(
        "control and invisible characters are removed from text for a terminal",
        arguments: [
            ("Bedroom 7", "Bedroom 7"), ("  both ends ", "both ends"), ("\u{1b}[31mred", "\u{fffd}[31mred"),
            ("a\u{202e}b\u{2066}c\u{2069}", "abc"), ("a\u{200b}\u{200d}\u{feff}b", "ab"),
            ("line\nbreak\r\tx", "line\u{fffd}break\u{fffd}\u{fffd}x"), ("\u{9b}2J", "\u{fffd}2J"),
            ("a\u{a0}b\u{3000}c", "a b c"), ("\u{2800}\u{2800}", ""), ("\u{3164}\u{115f}", ""),
            ("❤\u{fe0f}", "❤"), ("👍\u{1f3fd}", "👍"), ("👩\u{200d}👩\u{200d}👧", "👩👩👧"),
            ("e\u{301}\u{301}\u{301}\u{301}", "e\u{301}\u{301}"), ("\u{301}x", "x"),
            ("שלום", "שלום"), ("\u{e000}", "\u{fffd}"), ("\u{2028}", "\u{fffd}"), ("\u{e0041}\u{e0042}", ""),
        ])
    func safe(text: String, expected: String) {
        #expect(Array(SafeText.of(text).unicodeScalars) == Array(expected.unicodeScalars))
    }

    @Test(
        "a device is labelled by its name, and by its ID if the name is invisible",
        arguments: [("Küche", "Küche"), ("寝室", "寝室"), ("\u{200b} ", nil), (nil, nil)] as [(String?, String?)])
    func label(name: String?, expected: String?) {
        let device = DeviceID(fleetSeed: 1, index: 0)
        #expect(SafeText.label(name, of: device) == expected ?? device.description)
    }

    @Test(
        "a text's width is the number of columns on a terminal",
        arguments: [
            ("", 0), ("abc", 3), ("Küche", 5), ("日本", 4), ("한국", 4), ("ｆｕｌｌ", 8), ("🛏", 1), ("😀", 2),
            ("⌚", 2),
            ("e\u{301}", 1), ("שלום", 4), ("🇩🇪", 2), ("●─…", 3), ("각", 2), ("⽀", 2), ("🚀x", 3),
            ("㉇", 2), ("㉈", 1), ("㉐", 2), ("䷀", 1), ("一", 2), ("\u{18d00}", 2), ("🟰", 2), ("क्षि", 3),
        ])
    func width(text: String, columns: Int) {
        #expect(DisplayWidth.of(text) == columns)
    }

    @Test(
        "a text is cut or padded to a width, at character boundaries",
        arguments: [
            ("abc", 5, "abc  "), ("abcdef", 4, "abc…"), ("日本語", 4, "日… "), ("日本語", 5, "日本…"),
            ("日本語", 6, "日本語"), ("abc", 0, ""), ("日", 1, "…"), ("", 2, "  "),
            ("🇩🇪🇫🇷", 3, "🇩🇪…"), ("🇩🇪🇫🇷", 2, "… "), ("e\u{301}bc", 2, "e\u{301}…"), ("नमस्ते", 3, "नम…"),
            ("각각", 3, "각…"),
        ])
    func fitted(text: String, width: Int, expected: String) {
        let fitted = DisplayWidth.fitted(text, to: width)
        #expect(fitted == expected)
        #expect(DisplayWidth.of(fitted) == width)
    }

    @Test(
        "a time is printed in ISO 8601",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_769_860_801_234, "2026-01-31T12:00:01.234Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_007, "2000-02-29T00:00:00.007Z"), (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        ])
    func iso8601(milliseconds: Int64, expected: String) {
        let time = WallTime(unixMilliseconds: milliseconds)
        #expect(TimeText.iso8601(time) == expected)
        #expect(TimeText.moment(iso8601: expected) == time)
        #expect(TimeText.moment(written: expected) == time)
    }

    @Test(
        "a text of another form than ISO 8601 in UTC with milliseconds is refused",
        arguments: [
            "", "2026-01-31T12:00:01Z", "2026-01-31 12:00:01.234Z", "2026-13-31T12:00:01.234Z",
            "2026-01-31T24:00:01.234Z", "2026-01-31T12:00:01.234Zx", "2026-01-0xT12:00:01.234Z",
        ])
    func noMoment(text: String) {
        #expect(TimeText.moment(iso8601: text) == nil)
    }

    @Test("a person may leave the milliseconds out")
    func writtenMoment() {
        #expect(
            TimeText.moment(written: "2026-01-31T12:00:01Z") == WallTime(unixMilliseconds: 1_769_860_801_000))
        #expect(
            TimeText.moment(written: "2026-01-31T13:30:01.000+01:30")
                == WallTime(unixMilliseconds: 1_769_860_801_000))
        #expect(
            TimeText.moment(written: "2026-01-31T07:00:01-05:00")
                == WallTime(unixMilliseconds: 1_769_860_801_000))
        for text in [
            "2026-01-31T12:00:01+0100", "2026-01-31T12:00:01+24:00", "2026-01-31T12:00:01+01:60", "+01:00",
        ] {
            #expect(TimeText.moment(written: text) == nil)
        }
        for text in ["", "Z", "2026-01-31T12:00:01", "2026-01-31T12:00:61Z", "2026-02-30T12:00:01Z"] {
            #expect(TimeText.moment(written: text) == nil)
        }
    }

    @Test("a local time has the local date")
    func local() {
        let time = WallTime(unixMilliseconds: 1_769_860_801_234)
        #expect(TimeText.local(time, eastOfUTC: .zero) == "2026-01-31 12:00:01")
        #expect(TimeText.local(time, eastOfUTC: .seconds(13 * 3_600)) == "2026-02-01 01:00:01")
        #expect(TimeText.date(time, eastOfUTC: .seconds(-13 * 3_600)) == "2026-01-30")
        let refusal = Refusal.offline(lastSeen: time)
        #expect(refusal.explanation.hasPrefix("offline, last seen at 2026-01-31T12:00:01.234Z;"))
        let text = refusal.explanation { TimeText.local($0, eastOfUTC: .seconds(3_600)) }
        #expect(text.hasPrefix("offline, last seen at 2026-01-31 13:00:01;"))
    }

    @Test(
        "a time to the second has no zone",
        arguments: [
            (0, "1970-01-01T00:00:00"), (1_769_860_801_999, "2026-01-31T12:00:01"),
            (-1, "1969-12-31T23:59:59"), (4_107_542_399_999, "2100-02-28T23:59:59"),
        ])
    func seconds(milliseconds: Int64, expected: String) {
        var bytes: [UInt8] = []
        TimeText.append(second: WallTime(unixMilliseconds: milliseconds), to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test(
        "an age has one unit",
        arguments: [
            (-5, "0s"), (0, "0s"), (59, "59s"), (60, "1m"), (3_599, "59m"), (7_200, "2h"), (172_800, "2d"),
        ])
    func age(seconds: Int, expected: String) {
        #expect(TimeText.age(.seconds(seconds)) == expected)
    }

    @Test(
        "a latency has about three digits",
        arguments: [
            (UInt64(0), "0.00 ms"), (210, "0.21 ms"), (9_999, "9.99 ms"), (12_345, "12.3 ms"),
            (999_999, "999.9 ms"), (1_250_000, "1.25 s"),
        ])
    func span(microseconds: UInt64, expected: String) {
        #expect(TimeText.span(microseconds: microseconds) == expected)
    }
}
