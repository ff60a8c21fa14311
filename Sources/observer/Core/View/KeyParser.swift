import UserText

/// Parses the input of a terminal in raw mode into keys.
///
/// Terminals write an escape sequence at once, so an escape at the end of a read is the key itself. The bytes
/// of a character, reports of the mouse, and pasted text with its marks may be split between reads.
struct KeyParser: Sendable {
    private static let escape: UInt8 = 0x1b
    /// The bits of shift, meta and control in the number of a button.
    private static let modifiers = 0x1c
    /// The lines of a turn of the wheel.
    private static let linesPerTurn = 3
    /// The longest report of the mouse that may be split between reads, bytes.
    private static let longestReport = 32
    private static let pasteEnd = Array("\u{1b}[201~".utf8)
    private var rest: [UInt8] = []
    private var isPasting = false

    /// A parser without input.
    init() {}

    /// Returns the keys in the bytes of one read.
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

    /// Returns the press or turn of a report of the mouse (xterm's mode 1006).
    ///
    /// A report is `< BUTTON ; COLUMN ; LINE M`, with numbers from 1; the end of a press has an `m`.
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
