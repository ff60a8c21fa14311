import FleetReplica
import ReplicaTestSupport
import Testing

@testable import observer

@Suite("Keys")
struct KeyTests {
    @Test(
        "bytes of a terminal are parsed into keys",
        arguments: [
            ("q", [Key.character("q")]), ("\u{1b}[A\u{1b}[B", [.up, .down]),
            ("\u{1b}OH\u{1b}[F", [.home, .end]), ("\u{1b}[D\u{1b}OC\u{1b}[C", [.left, .right, .right]),
            ("\u{1b}[5~\u{1b}[6~", [.pageUp, .pageDown]), ("\u{1b}[1~\u{1b}[4~", [.home, .end]),
            ("\u{1b}", [.escape]), ("\r", [.enter]), ("\u{7f}", [.backspace]), ("\u{3}", [.interrupt]),
            ("\t\u{1b}[Z\u{1a}", [.tab, .backTab, .suspend]),
            ("ü日😀", [.character("ü"), .character("日"), .character("😀")]),
            ("\u{1b}[200~\u{1b}[201~q", [.other, .character("q")]),
            ("\u{202e}", [.other]), ("\u{1b}[1;5C", [.other]),
            ("/a\r", [.character("/"), .character("a"), .enter]),
        ])
    func parsed(bytes: String, keys: [Key]) {
        var parser = KeyParser()
        #expect(parser.keys(of: Array(bytes.utf8)) == keys)
    }

    @Test(
        "reports of the mouse are presses of the left button and turns of the wheel",
        arguments: [
            ("\u{1b}[<0;1;1M\u{1b}[<0;1;1m", [Key.click(column: 0, line: 0), .other]),
            ("\u{1b}[<4;120;40Mq", [.click(column: 119, line: 39), .character("q")]),
            (
                "\u{1b}[<64;5;6M\u{1b}[<65;5;6M",
                [.wheel(-3, column: 4, line: 5), .wheel(3, column: 4, line: 5)]
            ),
            ("\u{1b}[<2;5;6M", [.other]), ("\u{1b}[<32;5;6M", [.other]), ("\u{1b}[<0;0;6M", [.other]),
            ("\u{1b}[<0;5M", [.other]), ("\u{1b}[<0;-5;6M", [.other]), ("\u{1b}[<;;M", [.other]),
            ("\u{1b}[<99999999999999999999;1;1M", [.other]),
        ])
    func mouse(bytes: String, keys: [Key]) {
        var parser = KeyParser()
        #expect(parser.keys(of: Array(bytes.utf8)) == keys)
    }

    @Test("a report of the mouse split across two reads is put together, and an endless one is dropped")
    func splitReport() {
        let bytes = Array("\u{1b}[<65;12;7M".utf8)
        for cut in 3..<bytes.count {
            var parser = KeyParser()
            #expect(parser.keys(of: Array(bytes[..<cut])) == [])
            #expect(parser.keys(of: Array(bytes[cut...])) == [.wheel(3, column: 11, line: 6)])
        }
        var parser = KeyParser()
        _ = parser.keys(of: Array("\u{1b}[<".utf8) + Array(repeating: UInt8(ascii: "1"), count: 500))
        #expect(parser.keys(of: Array("q".utf8)) == [.character("q")])
    }

    @Test("a paste has its visible characters at every split of its bytes and marks between reads")
    func pasted() {
        let bytes = Array("j\u{1b}[200~t q\u{3}\r日\u{1b}[A\u{1b}\u{1b}[201~k".utf8)
        let text: [Key] = ["t", " ", "q", "日", "[", "A"].map { .pasted($0) }
        for cut in 4...bytes.count {
            var parser = KeyParser()
            let keys = parser.keys(of: Array(bytes[..<cut])) + parser.keys(of: Array(bytes[cut...]))
            #expect(keys == [.character("j"), .other] + text + [.character("k")], "cut at \(cut)")
        }
    }

    @Test("pasted text is typed into a field, and does nothing elsewhere")
    func pastedInto() {
        for focus in [ViewFocus.filter, .logFilter, .fileName] {
            #expect(Key.pasted("q").intent(in: focus) == .type("q"))
        }
        for focus in [ViewFocus.table, .details, .help, .roster, .log, .columns, .replacing, .stopping] {
            for character: Character in ["q", "t", "y", " "] {
                #expect(Key.pasted(character).intent(in: focus) == nil, "\(focus)")
                #expect(Key.pasted(character).playback(in: focus) == nil, "\(focus)")
            }
        }
    }

    @Test("a character split across two reads is put together")
    func torn() {
        var parser = KeyParser()
        let bytes = Array("日".utf8)
        #expect(parser.keys(of: Array(bytes.prefix(2))).isEmpty)
        #expect(parser.keys(of: Array(bytes.dropFirst(2))) == [.character("日")])
    }

    @Test(
        "bytes that are not text do not affect later keys",
        arguments: [[0xff], [0xc3, 0x28], [0x80, 0x41]] as [[UInt8]])
    func garbage(bytes: [UInt8]) {
        var parser = KeyParser()
        _ = parser.keys(of: bytes)
        #expect(parser.keys(of: Array("q".utf8)).last == .character("q"))
    }

    @Test(
        "each key has one meaning, and letters are text while a text is typed",
        arguments: [
            (Key.character("q"), ViewIntent.quit, ViewIntent.type("q")),
            (.character("/"), .beginFilter, .type("/")),
            (.character("s"), .nextSort, .type("s")), (.character(" "), .togglePause, .type(" ")),
            (.character("f"), .toggleFaultsOnly, .type("f")), (.character("?"), .toggleHelp, .type("?")),
            (.character("t"), .toggleDevice, .type("t")), (.character("c"), .cancelToggle, .type("c")),
            (.character("e"), .export, .type("e")), (.character("j"), .move(1), .type("j")),
            (.character("k"), .move(-1), .type("k")), (.enter, .showDetails, .accept),
            (.interrupt, .quit, .quit), (.escape, .dismiss, .dismiss), (.up, .move(-1), .move(-1)),
            (.down, .move(1), .move(1)), (.pageUp, .page(-1), .page(-1)), (.pageDown, .page(1), .page(1)),
            (.home, .first, .first), (.end, .last, .last), (.character("l"), .toggleLog, .type("l")),
            (.character("!"), .toggleErrors, .type("!")), (.character("S"), .reverseSort, .type("S")),
            (.character("g"), .first, .type("g")), (.character("G"), .last, .type("G")),
            (.tab, .nextPane(1), .nextPane(1)), (.backTab, .nextPane(-1), .nextPane(-1)),
            (.suspend, .suspend, .suspend), (.character("b"), .nextGrouping, .type("b")),
            (.character("C"), .chooseColumns, .type("C")),
            (.character("p"), .toggleDetailsBeside, .type("p")),
        ])
    func meaning(key: Key, intent: ViewIntent, whileTyping: ViewIntent) {
        #expect(key.intent(in: .table) == intent)
        #expect(key.intent(in: .filter) == whileTyping)
        #expect(key.intent(in: .fileName) == whileTyping)
    }

    @Test("a file is replaced only after y", arguments: [Key.enter, .character("n"), .character("Y")])
    func replacing(key: Key) {
        #expect(key.intent(in: .replacing) == .dismiss)
        #expect(Key.character("y").intent(in: .replacing) == .accept)
    }

    @Test("on a page a device can be toggled, and keys that change the table are ignored")
    func pages() {
        #expect(Key.character("t").intent(in: .details) == .toggleDevice)
        #expect(Key.character("t").intent(in: .help) == nil)
        for key in "/sfe" { #expect(Key.character(key).intent(in: .details) == nil) }
        #expect(Key.enter.intent(in: .details) == .dismiss)
    }

    @Test(
        "in a recording a key moves the time, unless a text is typed or a question is shown",
        arguments: [
            (Key.left, PlaybackIntent.step(-1)), (.right, .step(1)), (.home, .first), (.end, .last),
            (.character(" "), .togglePause),
        ])
    func playback(key: Key, intent: PlaybackIntent) {
        for focus in [ViewFocus.table, .details, .help] { #expect(key.playback(in: focus) == intent) }
        for focus in [ViewFocus.filter, .fileName, .replacing] { #expect(key.playback(in: focus) == nil) }
    }

    @Test(
        "in a recording all other keys keep their meaning",
        arguments: [
            Key.character("q"), .character("s"), .enter, .escape, .backspace, .up, .down, .pageUp, .pageDown,
            .interrupt, .redraw, .other,
        ])
    func noPlayback(key: Key) {
        #expect(key.playback(in: .table) == nil)
    }

    @Test(
        "a key without a meaning does nothing",
        arguments: [Key.backspace, .character("z"), .left, .right, .redraw, .other])
    func nothing(key: Key) {
        #expect(key.intent(in: .table) == nil)
    }
}

@Suite("Quitting the screen")
struct QuitTests {
    /// The observer of a fleet that it stops.
    private static func reader() throws -> ScreenReader {
        let reader = try ScreenReader(.whole(), width: 80, height: 10)
        reader.view.stopFleetAtQuit()
        return reader
    }

    @Test("quitting an observer ends it at once", arguments: [Key.character("q"), .interrupt])
    func observer(key: Key) throws {
        #expect(try ScreenReader(.whole()).press(key) == .quit)
    }

    @Test(
        "quitting a fleet's own observer asks first, and q or Ctrl-C again stops the fleet",
        arguments: [Key.character("q"), .interrupt], [Key.character("q"), .interrupt])
    func fleet(first: Key, second: Key) throws {
        let reader = try Self.reader()
        #expect(reader.press(first) == nil)
        #expect(
            reader.lines()[0].hasPrefix(
                "q again: stop the fleet for everyone; any other key: leave it running"))
        #expect(reader.press(second) == .quit)
    }

    @Test(
        "any other key leaves the fleet running, and returns to the page",
        arguments: [Key.escape, .enter, .character("n"), .character("Q"), .character("t"), .down, .backspace])
    func answeredNo(key: Key) throws {
        let reader = try Self.reader()
        reader.perform(.showDetails)
        #expect(reader.press(.character("q")) == nil)
        #expect(reader.view.focus == .stopping)
        #expect(reader.press(key) == nil)
        #expect(reader.view.focus == .details)
        #expect(reader.view.pendingCount == 0)
        #expect(reader.press(.character("q")) == nil, "it asks each time")
    }

    @Test("Ctrl-L does not answer the question")
    func redrawn() {
        #expect(Key.redraw.intent(in: .stopping) == nil)
        var parser = KeyParser()
        #expect(parser.keys(of: [0x0c]) == [.redraw])
    }
}
