import Testing

@testable import observer

@Suite("Output to the terminal")
struct ScreenWriterTests {
    private let first = [ScreenLine("one", .bold), ScreenLine("two", .colored(.red))]

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("the first screen is written completely, an equal one not at all, and others where they differ")
    func differences() {
        var writer = ScreenWriter(palette: .basic)
        #expect(
            text(writer.bytes(for: first))
                == "\u{1b}[?2026h\u{1b}[0m\u{1b}[2J\u{1b}[1;1H\u{1b}[0;1mone\u{1b}[0m"
                + "\u{1b}[2;1H\u{1b}[0;31mtwo\u{1b}[0m\u{1b}[?2026l")
        #expect(writer.bytes(for: first).isEmpty)
        let second = [first[0], ScreenLine("TWO")]
        #expect(
            text(writer.bytes(for: second)) == "\u{1b}[?2026h\u{1b}[2;1H\u{1b}[0mTWO\u{1b}[0m\u{1b}[?2026l")
    }

    private func line(_ pieces: (String, Style)...) -> ScreenLine {
        var line = ScreenLine()
        for (text, style) in pieces { line.append(text, style) }
        return line
    }

    @Test("a changed line is written from its first to its last changed piece")
    func pieces() {
        var writer = ScreenWriter(palette: .basic)
        let name = ("日本 ", Style.plain)
        _ = writer.bytes(for: [line(name, ("on ", .colored(.green)), ("12", .dim), ("  cool", .plain))])
        let off = [line(name, ("off", .bold), ("12", .dim), ("  cool", .plain))]
        #expect(
            text(writer.bytes(for: off))
                == "\u{1b}[?2026h\u{1b}[1;6H\u{1b}[0;1moff\u{1b}[0m\u{1b}[?2026l")
        let wider = [line(name, ("off", .bold), ("123", .dim), (" cool", .plain))]
        #expect(
            text(writer.bytes(for: wider))
                == "\u{1b}[?2026h\u{1b}[1;9H\u{1b}[0;2m123\u{1b}[0m cool\u{1b}[0m\u{1b}[?2026l")
        // The same pieces in other columns count as changed.
        let other = [line(("a", .plain), ("b", .bold), ("c", .plain))]
        let moved = [line(("aa", .plain), ("b", .bold), ("c", .plain))]
        _ = writer.bytes(for: other + other)
        #expect(
            text(writer.bytes(for: other + moved))
                == "\u{1b}[?2026h\u{1b}[2;1H\u{1b}[0maa\u{1b}[0;1mb\u{1b}[0mc\u{1b}[0m\u{1b}[?2026l")
    }

    @Test("without colours there are no colour codes, and bold stays")
    func colourless() {
        var writer = ScreenWriter(palette: nil)
        let written = text(writer.bytes(for: first))
        #expect(!written.contains("31"))
        #expect(written.contains("\u{1b}[0;1mone"))
    }

    @Test("a screen of another size is written completely")
    func resized() {
        var writer = ScreenWriter(palette: .basic)
        _ = writer.bytes(for: first)
        #expect(text(writer.bytes(for: [ScreenLine("wide")])).contains("\u{1b}[2J"))
        #expect(text(writer.bytes(for: first)).contains("one"))
    }

    @Test("after a reset the same screen is written completely")
    func wasReset() {
        var writer = ScreenWriter(palette: .basic)
        _ = writer.bytes(for: first)
        writer.reset()
        #expect(text(writer.bytes(for: first)).contains("\u{1b}[2J"))
    }

    @Test(
        "the palette follows the terminal's colours and background",
        arguments: [
            (["TERM": "xterm"], Palette.basic, "31"), (["TERM": "xterm-256color"], .dark, "38;5;203"),
            (["TERM": "xterm", "COLORTERM": "truecolor"], .dark, "38;5;203"),
            (["TERM": "xterm-256color", "COLORFGBG": "0;15"], .light, "38;5;160"),
            (["TERM": "rxvt-256color", "COLORFGBG": "0;default;7"], .light, "38;5;160"),
            (["TERM": "xterm-256color", "COLORFGBG": "15;0"], .dark, "38;5;203"),
            (["TERM": "linux", "COLORFGBG": "0;15"], .basic, "31"), ([:], .basic, "31"),
        ])
    func palettes(environment: [String: String], palette: Palette, code: String) {
        #expect(Palette(for: environment) == palette)
        var writer = ScreenWriter(palette: palette)
        #expect(text(writer.bytes(for: first)).contains("\u{1b}[0;\(code)mtwo"))
    }

    @Test("NO_COLOR means no colour on any terminal")
    func noColor() {
        #expect(Palette(for: ["TERM": "xterm-256color", "NO_COLOR": "1"]) == nil)
        var writer = ScreenWriter(palette: nil)
        #expect(!text(writer.bytes(for: first)).contains(";31"))
    }
}
