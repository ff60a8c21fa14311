/// Messages of one field or two, too small for a type of their own.
extension FieldReader {
    /// The number that field 1 holds; 0 where there is none.
    consuming func firstNumber() throws(WireError) -> UInt32 {
        var value = UInt32(0)
        while let field = try next() {
            if field == 1 { try read(&value) }
        }
        return value
    }

    /// The numbers that fields 1 and 2 hold; 0 where there are none.
    consuming func firstNumbers() throws(WireError) -> (UInt32, UInt32) {
        var (first, second) = (UInt32(0), UInt32(0))
        while let field = try next() {
            switch field {
            case 1: try read(&first)
            case 2: try read(&second)
            default: break
            }
        }
        return (first, second)
    }

    /// The truth that field 1 holds; false where there is none.
    consuming func firstTruth() throws(WireError) -> Bool {
        var value = false
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

    /// The device that field 1 holds.
    consuming func firstDevice() throws(WireError) -> DeviceID {
        var device: DeviceID?
        while let field = try next() {
            if field == 1 { try read(&device) }
        }
        guard let device else { throw .malformedDevice() }
        return device
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
