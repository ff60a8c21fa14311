@testable import FleetProtocol

/// Messages of one field or two, as examples of what can be read.
extension FieldReader {
    /// The number that field 1 holds; 0 where there is none.
    consuming func firstNumber() throws(WireError) -> UInt32 {
        var value = UInt32(0)
        while let field = try next() {
            if field == 1 { try read(&value) }
        }
        return value
    }

    /// The message that field 1 holds.
    consuming func firstMessage() throws(WireError) -> FieldReader? {
        var message: FieldReader?
        while let field = try next() {
            if field == 1 { try read(&message) }
        }
        return message
    }

    /// The texts that fields 1 and 2 hold; empty where there are none.
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
