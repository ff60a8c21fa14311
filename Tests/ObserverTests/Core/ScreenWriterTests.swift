import FleetProtocol
import ReplicaTestSupport
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

@Suite("The pace of frames")
struct FramePaceTests {
    private static func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000_000 + milliseconds * 1_000_000)
    }

    /// The milliseconds of three seconds at which a frame is drawn.
    private static func frames(keyEvery interval: Int64?) -> [Int64] {
        var pace = FramePace()
        return (Int64(0)..<3_000).filter { millisecond in
            if let interval, millisecond.isMultiple(of: interval) { pace.hurry() }
            return pace.claim(at: time(millisecond))
        }
    }

    @Test("a second has at most 30 frames, at any rate of keys", arguments: [nil, 1, 7, 20, 33, 34, 45, 500])
    func bounded(interval: Int64?) {
        let frames = Self.frames(keyEvery: interval)
        for start in frames {
            let count = frames.count { (start..<start + 1_000).contains($0) }
            #expect(count <= 30, "from \(start) ms on")
        }
    }

    @Test("without keys a frame is drawn 20 times a second")
    func regular() {
        #expect(Self.frames(keyEvery: nil).count == 60)
    }

    @Test("a key is followed by a frame at once, and endless keys within 40 ms")
    func keys() {
        var pace = FramePace()
        var latest: Int64 = 0
        var pressedAt: Int64?
        for millisecond in Int64(0)..<3_000 {
            if pressedAt == nil, millisecond.isMultiple(of: 25) {
                pace.hurry()
                pressedAt = millisecond
            }
            guard pace.claim(at: Self.time(millisecond)), let pressed = pressedAt else { continue }
            if millisecond < 100 { #expect(millisecond == pressed) }
            latest = max(latest, millisecond - pressed)
            pressedAt = nil
        }
        #expect(latest <= 40)
    }

    @Test("the pace returns the time until the next frame")
    func waits() {
        var pace = FramePace()
        #expect(pace.wait(at: Self.time(0)) == .zero)
        var isDrawn = pace.claim(at: Self.time(0))
        #expect(isDrawn)
        isDrawn = pace.claim(at: Self.time(20))
        #expect(!isDrawn)
        #expect(pace.wait(at: Self.time(20)) == .milliseconds(30))
        pace.hurry()
        #expect(pace.wait(at: Self.time(20)) == .zero)
    }
}

@Suite("Settings of the screen")
struct ScreenSettingsTests {
    private static var changed: ScreenSettings {
        var settings = ScreenSettings()
        (settings.sort, settings.isReversed, settings.grouping) = (.room, true, .node)
        (settings.hiddenColumns, settings.hasDetailsBeside) = ([.trend, .id], false)
        return settings
    }

    @Test("settings are stored as JSON, and read as they were")
    func stored() {
        #expect(
            Self.changed.json
                == #"{"sort":"room","reversed":true,"group":"node","hidden":["id","trend"],"details":false}"#)
        #expect(ScreenSettings(json: Self.changed.json) == Self.changed)
        #expect(ScreenSettings(json: ScreenSettings().json) == ScreenSettings())
    }

    @Test("a missing setting has its default, and unknown members are ignored")
    func partial() {
        var settings = ScreenSettings()
        settings.sort = .name
        #expect(ScreenSettings(json: #"{"sort":"name","theme":"dark"}"#) == settings)
        #expect(ScreenSettings(json: "{}") == ScreenSettings())
    }

    @Test(
        "damaged settings are refused as a whole",
        arguments: [
            "", "{", "[]", #"{"sort":"colour"}"#, #"{"sort":3}"#, #"{"group":"floor"}"#,
            #"{"reversed":"no"}"#,
            #"{"hidden":["id","name"]}"#, #"{"hidden":"id"}"#, "{\"sort\":\"name\"",
        ])
    func damaged(json: String) {
        #expect(ScreenSettings(json: json) == nil)
    }

    @Test("keys change the settings, which are handed out once after a change")
    func taken() throws {
        let reader = try ScreenReader(.whole())
        #expect(reader.view.takeChangedSettings() == nil)
        reader.press(.character("s"), .character("S"), .character("b"), .character("p"))
        reader.press(.character("C"), .character(" "), .escape)
        var expected = ScreenSettings()
        (expected.sort, expected.isReversed, expected.grouping) = (.name, true, .site)
        (expected.hiddenColumns, expected.hasDetailsBeside) = ([.id], false)
        #expect(reader.view.takeChangedSettings() == expected)
        #expect(reader.view.takeChangedSettings() == nil)
        reader.press(.character("/"))
        reader.type("bed")
        reader.press(.enter, .character("f"))
        #expect(reader.view.takeChangedSettings() == nil, "filters are not stored")
    }

    @Test("a view with stored settings shows them, and hands them out only after a change or a reset")
    func used() throws {
        let reader = try ScreenReader(.whole())
        reader.view.use(Self.changed)
        #expect(reader.view.settings == Self.changed)
        #expect(reader.lines()[0].contains("by room, reversed, grouped by node"))
        #expect(!reader.lines()[1].contains("trend"))
        #expect(reader.view.takeChangedSettings() == nil)
        reader.view.storeSettings()
        #expect(reader.view.takeChangedSettings() == Self.changed)
        #expect(reader.view.takeChangedSettings() == nil)
    }
}
