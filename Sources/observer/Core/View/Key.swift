import UserText

enum Key: Hashable, Sendable {
    case character(Character)
    /// A character of pasted text, for fields only.
    case pasted(Character)
    case enter, escape, backspace
    case up, down, left, right, pageUp, pageDown, home, end
    case tab
    case backTab
    /// Ctrl-C, which a terminal in raw mode sends as a byte.
    case interrupt
    /// Ctrl-Z, which does not stop a program in raw mode.
    case suspend
    /// Ctrl-L: draw the whole screen again.
    case redraw
    /// A press of the left button of the mouse; column and line begin at 0.
    case click(column: Int, line: Int)
    /// A turn of the wheel by that many lines, down if positive.
    case wheel(Int, column: Int, line: Int)
    case other

    func intent(in focus: ViewFocus) -> ViewIntent? {
        guard focus != .stopping else { return stoppingIntent }
        return switch self {
        case .interrupt: .quit
        case .suspend: .suspend
        case .up: .move(-1)
        case .down: .move(1)
        case .pageUp: .page(-1)
        case .pageDown: .page(1)
        case .home: .first
        case .end: .last
        case .tab: .nextPane(1)
        case .backTab: .nextPane(-1)
        case .escape: .dismiss
        case .enter: Self.entered(in: focus)
        case .backspace: focus.isTyping ? .erase : nil
        case .character(let character):
            switch focus {
            case .filter, .logFilter, .fileName: .type(character)
            case .replacing: character == "y" ? .accept : .dismiss
            case .columns where character == " ": .toggleColumn
            case .table, .details, .help, .roster, .log, .columns: Self.command(character, in: focus)
            case .stopping: stoppingIntent
            }
        case .pasted(let character): focus.isTyping ? .type(character) : nil
        case .left, .right, .redraw, .click, .wheel, .other: nil
        }
    }

    /// Returns the action of the mouse on a screen of a layout; nil for a key, and while a text is typed or a
    /// question is open.
    func intent(in focus: ViewFocus, on layout: ScreenLayout) -> ViewIntent? {
        guard !focus.isTyping, focus != .replacing, focus != .stopping else { return nil }
        return switch self {
        case .click(let column, let line): .point(layout.place(column: column, line: line))
        case .wheel(let lines, let column, let line):
            .scroll(lines, at: layout.place(column: column, line: line))
        default: nil
        }
    }

    /// Only `q` or Ctrl-C, pressed again, stops a fleet.
    private var stoppingIntent: ViewIntent? {
        switch self {
        case .interrupt, .character("q"): .quit
        case .redraw, .suspend, .click, .wheel, .pasted, .other: nil
        default: .dismiss
        }
    }

    private static func entered(in focus: ViewFocus) -> ViewIntent {
        switch focus {
        case .table: .showDetails
        case .filter, .logFilter, .fileName: .accept
        case .log: .toggleLog
        // Only a plain yes replaces a file.
        case .details, .help, .roster, .columns, .replacing, .stopping: .dismiss
        }
    }

    private static func command(_ character: Character, in focus: ViewFocus) -> ViewIntent? {
        switch character {
        case "q": .quit
        case "j": .move(1)
        case "k": .move(-1)
        case "g": .first
        case "G": .last
        case "?": .toggleHelp
        case " ": .togglePause
        case "d": .toggleRoster
        case "r": .refreshRoster
        case "l": .toggleLog
        case "!": .toggleErrors
        case "p": focus.hasDevice || focus == .log ? .toggleDetailsBeside : nil
        case "t": focus.hasDevice ? .toggleDevice : nil
        case "c": focus.hasDevice ? .cancelToggle : nil
        case "/": focus == .table || focus == .log ? .beginFilter : nil
        case "s": focus == .table ? .nextSort : nil
        case "S": focus == .table ? .reverseSort : nil
        case "b": focus == .table ? .nextGrouping : nil
        case "C": focus == .table ? .chooseColumns : focus == .columns ? .dismiss : nil
        case "f": focus == .table ? .toggleFaultsOnly : nil
        case "e": focus == .table ? .export : nil
        default: nil
        }
    }
}

/// Parses the input of a terminal in raw mode into keys. Terminals write an escape sequence at once, so an
/// escape at the end of a read is the key itself. The bytes of a character, reports of the mouse, and pasted
/// text with its marks may be split between reads.
struct KeyParser: Sendable {
    private static let escape: UInt8 = 0x1b
    /// The bits of shift, meta and control in the number of a button.
    private static let modifiers = 0x1c
    private static let linesPerTurn = 3
    /// The longest report of the mouse that may be split between reads, bytes.
    private static let longestReport = 32
    private static let pasteEnd = Array("\u{1b}[201~".utf8)
    private var rest: [UInt8] = []
    private var isPasting = false

    mutating func keys(of bytes: [UInt8]) -> [Key] {
        var input = (rest + bytes)[...]
        rest = []
        var keys: [Key] = []
        while let byte = input.first {
            if isPasting {
                guard let isEnd = takePasteEnd(&input) else { break }
                if isEnd { continue }
                let key = byte >= 0x80 ? readCharacter(&input) : Self.key(ofASCII: input.removeFirst())
                guard let key else { break }
                if case .character(let character) = key { keys.append(.pasted(character)) }
            } else if byte == Self.escape {
                guard let key = takeEscapeSequence(&input) else { break }
                keys.append(key)
            } else if byte >= 0x80 {
                guard let key = readCharacter(&input) else { break }
                keys.append(key)
            } else {
                input.removeFirst()
                keys.append(Self.key(ofASCII: byte))
            }
        }
        return keys
    }

    private static func key(ofASCII byte: UInt8) -> Key {
        switch byte {
        case 0x03: .interrupt
        case 0x09: .tab
        case 0x0c: .redraw
        case 0x1a: .suspend
        case 0x0a, 0x0d: .enter
        case 0x08, 0x7f: .backspace
        case 0x20...0x7e: .character(Character(Unicode.Scalar(byte)))
        default: .other
        }
    }

    /// Consumes the mark after pasted text, and returns whether it is there; nil if its end is missing.
    private mutating func takePasteEnd(_ input: inout ArraySlice<UInt8>) -> Bool? {
        guard input.starts(with: Self.pasteEnd) else {
            guard Self.pasteEnd.starts(with: input) else { return false }
            rest = Array(input)
            return nil
        }
        input.removeFirst(Self.pasteEnd.count)
        isPasting = false
        return true
    }

    /// Consumes an escape sequence: `ESC [ … letter`, `ESC O letter`, or the key alone; nil if the end of a
    /// report of the mouse, or of a sequence with a number, is missing.
    private mutating func takeEscapeSequence(_ input: inout ArraySlice<UInt8>) -> Key? {
        let start = input
        input.removeFirst()
        guard let kind = input.first, kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else {
            return .escape
        }
        input.removeFirst()
        var sequence: [UInt8] = []
        while let byte = input.popFirst() {
            sequence.append(byte)
            if (0x40...0x7e).contains(byte) { break }
        }
        let isWhole = sequence.last.map { (0x40...0x7e).contains($0) } ?? false
        if !isWhole, let first = sequence.first, (0x30...0x3c).contains(first) {
            rest = sequence.count < Self.longestReport ? Array(start) : []
            return nil
        }
        if sequence.first == UInt8(ascii: "<") { return Self.mouse(sequence) }
        isPasting = sequence == Array("200~".utf8)
        return switch String(decoding: sequence, as: UTF8.self) {
        case "A": .up
        case "B": .down
        case "C": .right
        case "D": .left
        case "H", "1~", "7~": .home
        case "F", "4~", "8~": .end
        case "5~": .pageUp
        case "6~": .pageDown
        case "Z": .backTab
        default: .other
        }
    }

    /// Returns the press or turn of a report of the mouse (xterm's mode 1006). A report is `< BUTTON ; COLUMN
    /// ; LINE M`, with numbers from 1; the end of a press has an `m`.
    private static func mouse(_ sequence: [UInt8]) -> Key {
        let numbers = String(decoding: sequence.dropFirst().dropLast(), as: UTF8.self)
            .split(separator: ";", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 3, let button = numbers[0], let column = numbers[1], let line = numbers[2],
            sequence.last == UInt8(ascii: "M"), column > 0, line > 0
        else { return .other }
        // Shift, meta and control make no difference.
        return switch button & ~modifiers {
        case 0: .click(column: column - 1, line: line - 1)
        case 64: .wheel(-linesPerTurn, column: column - 1, line: line - 1)
        case 65: .wheel(linesPerTurn, column: column - 1, line: line - 1)
        default: .other
        }
    }

    /// Consumes a character of several bytes; nil if bytes are missing.
    private mutating func readCharacter(_ input: inout ArraySlice<UInt8>) -> Key? {
        let length =
            switch input.first ?? 0 {
            case 0xc2...0xdf: 2
            case 0xe0...0xef: 3
            case 0xf0...0xf4: 4
            default: 1
            }
        guard input.count >= length else {
            rest = Array(input)
            return nil
        }
        let text = String(decoding: input.prefix(length), as: UTF8.self)
        input.removeFirst(length)
        guard let character = text.first, SafeText.of(text) == text else { return .other }
        return .character(character)
    }
}
