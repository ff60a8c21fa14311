@testable import FleetProtocol

/// A form of message with the maximum decoding work for its size.
enum Shape: CaseIterable {
    case choiceInParts, choiceOfOneLongPart, twoChoicesInTurn, messageInParts, messagesWithinParts
    case packed, unpacked, fixed, texts, unknown, groups

    /// A message in this form, of about the given number of bytes.
    func message(of size: Int) -> [UInt8] {
        switch self {
        case .choiceInParts, .messageInParts: filled(size, with: [0x0a, 2, 0x08, 7])
        case .choiceOfOneLongPart: part(of: size / 2) + filled(size / 2, with: [0x0a, 0])
        case .twoChoicesInTurn: filled(size, with: [0x0a, 0, 0x0a, 2, 0x08, 7, 0x12, 2, 0x08, 7, 0x12, 0])
        case .messagesWithinParts: filled(size, with: [0x0a, 8, 0x0a, 2, 0x08, 7, 0x0a, 2, 0x08, 7])
        case .packed: filled(size, with: [0x0a, 1, 7])
        case .unpacked: filled(size, with: [0x08, 7])
        case .fixed: filled(size, with: [0x0a, 8, 1, 2, 3, 4, 5, 6, 7, 8])
        case .texts: filled(size, with: [0x0a, 1, 0x41])
        case .unknown: filled(size, with: [0x10, 7, 0x1a, 1, 7, 0x15, 1, 2, 3, 4])
        case .groups:
            filled(size, with: [UInt8](repeating: 0x13, count: 16) + [UInt8](repeating: 0x14, count: 16))
        }
    }

    /// Decodes a message in this form to its end.
    func read(_ bytes: [UInt8]) throws {
        switch self {
        case .choiceInParts, .choiceOfOneLongPart, .twoChoicesInTurn:
            _ = try FieldReader(bytes).choice().required("choice").message.firstNumber()
        case .messagesWithinParts:
            let choice = try FieldReader(bytes).choice().required("choice")
            _ = try choice.message.firstMessage().required("message").firstNumber()
        case .messageInParts: _ = try FieldReader(bytes).firstMessage().required("message").firstNumber()
        case .packed, .unpacked: try readAll(bytes, into: [UInt32]()) { try $0.read(&$1) }
        case .fixed: try readAll(bytes, into: [UInt64]()) { try $0.read(fixed: &$1) }
        case .texts: try readAll(bytes, into: [String]()) { try $0.read(&$1) }
        case .unknown, .groups: _ = try FieldReader(bytes).firstNumber()
        }
    }

    /// Repeated fields of about the given number of bytes.
    private func filled(_ size: Int, with fields: [UInt8]) -> [UInt8] {
        Array(repeatElement(fields, count: size / fields.count).joined())
    }

    /// Field 1: a message of the given number of bytes.
    private func part(of size: Int) -> [UInt8] {
        let message = filled(size, with: [0x08, 7])
        let length = message.count
        return [0x0a, UInt8(length & 0x7f) | 0x80, UInt8(length >> 7 & 0x7f) | 0x80, UInt8(length >> 14)]
            + message
    }

    private func readAll<Value>(
        _ bytes: [UInt8], into value: Value, _ read: (inout FieldReader, inout Value) throws -> Void
    ) throws {
        var fields = FieldReader(bytes)
        var value = value
        while try fields.next() != nil { try read(&fields, &value) }
    }
}

extension FieldReader {
    /// The value of a choice with one of the fields.
    consuming func choice() throws(WireError) -> Choice? {
        var choice: Choice?
        while try next() != nil { try read(&choice) }
        return choice
    }
}

/// Decodes messages of one or two fields, as examples.
extension FieldReader {
    /// Decodes the number in field 1; 0 for a missing field.
    consuming func firstNumber() throws(WireError) -> UInt32 {
        var value = UInt32(0)
        while let field = try next() {
            if field == 1 { try read(&value) }
        }
        return value
    }

    /// Decodes the message in field 1; nil for a missing field.
    consuming func firstMessage() throws(WireError) -> FieldReader? {
        var message: FieldReader?
        while let field = try next() {
            if field == 1 { try read(&message) }
        }
        return message
    }

    /// Decodes the texts in fields 1 and 2; empty for a missing field.
    consuming func firstTexts() throws(WireError) -> (String, String) {
        var (first, second) = ("", "")
        while let field = try next() {
            switch field {
            case 1: try read(&first)
            case 2: try read(&second)
            default: break
            }
        }
        return (first, second)
    }
}
