@testable import FleetProtocol

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
