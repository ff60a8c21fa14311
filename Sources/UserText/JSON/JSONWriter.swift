/// A writer of JSON on one line; members have the order in which they are written, and must not repeat keys.
/// Control and invisible characters are escaped, so a terminal shows the line safely.
public struct JSONWriter {
    public private(set) var bytes: [UInt8] = []
    /// Whether a comma must precede the next value.
    private var needsComma = false

    public init(reserving capacity: Int = 1_024) { bytes.reserveCapacity(capacity) }

    // MARK: Values

    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        open("{")
        members(&self)
        close("}")
    }

    public mutating func array(_ elements: (inout JSONWriter) -> Void) {
        open("[")
        elements(&self)
        close("]")
    }

    public mutating func null() { raw("null") }

    public mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

    public mutating func integer(_ value: some BinaryInteger) {
        begin()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        bytes.append(decimal: UInt64(value.magnitude))
    }

    /// Writes a number; NaN and infinity are null.
    public mutating func number(_ value: Double) {
        begin()
        bytes += (value.isFinite ? "\(value)" : "null").utf8
    }

    public mutating func string(_ text: String) {
        begin()
        Self.append(quoted: text, to: &bytes)
    }

    /// Writes a string without characters that need an escape, from a function that appends its bytes.
    public mutating func plain(_ append: (inout [UInt8]) -> Void) {
        begin()
        bytes.append(UInt8(ascii: "\""))
        append(&bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes tenths as a number with one decimal: `21.5`, `20.0`.
    public mutating func tenths(_ value: Int) {
        begin()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        bytes.append(decimal: UInt64(value.magnitude / 10))
        bytes.append(UInt8(ascii: "."))
        bytes.append(decimal: UInt64(value.magnitude % 10))
    }

    /// Writes hundredths, zero or more, as a number with two decimals: `0.05`.
    public mutating func hundredths(_ value: Int) {
        begin()
        bytes.append(decimal: UInt64(value / 100))
        bytes.append(UInt8(ascii: "."))
        bytes.append(decimal: UInt64(value % 100), digits: 2)
    }

    public mutating func raw(_ json: StaticString) {
        begin()
        json.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    public mutating func raw(_ json: [UInt8]) {
        begin()
        bytes += json
    }

    // MARK: Members

    public mutating func key(_ name: StaticString) {
        begin()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a key that is not a literal.
    public mutating func key(named name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    public mutating func member(_ name: StaticString, _ value: some JSONWritable) {
        key(name)
        value.write(to: &self)
    }

    public mutating func member(_ name: StaticString, _ text: String?) {
        key(name)
        text.write(to: &self)
    }

    public mutating func member(_ name: StaticString, tenths value: Int) {
        key(name)
        tenths(value)
    }

    public mutating func member(_ name: StaticString, raw json: StaticString) {
        key(name)
        raw(json)
    }

    public mutating func object(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
        key(name)
        object(members)
    }

    public mutating func array(_ name: StaticString, _ elements: (inout JSONWriter) -> Void) {
        key(name)
        array(elements)
    }

    // MARK: Commas

    private mutating func begin() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ bracket: Unicode.Scalar) {
        begin()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }
}

extension JSONWriter {
    public static func append(quoted text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        defer { output.append(UInt8(ascii: "\"")) }
        guard !text.utf8.allSatisfy(isPlain) else { return output.append(contentsOf: text.utf8) }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\"".utf8
            case "\\": output += "\\\\".utf8
            case "\n": output += "\\n".utf8
            case "\t": output += "\\t".utf8
            case _ where SafeText.isSafe(scalar): output += String(scalar).utf8
            default: for unit in String(scalar).utf16 { escape(unit, into: &output) }
            }
        }
    }

    /// Whether a byte is ASCII without a need for an escape, the common case.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7e).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func escape(_ unit: UInt16, into output: inout [UInt8]) {
        let digits = String(unit, radix: 16)
        output += "\\u".utf8
        output += String(repeating: "0", count: 4 - digits.utf8.count).utf8
        output += digits.utf8
    }
}

public protocol JSONWritable: Sendable {
    func write(to json: inout JSONWriter)
}

/// A JSON object, whose members keep their order; keys must not repeat.
public struct JSONObject: JSONWritable, ExpressibleByDictionaryLiteral {
    private var members: [(String, any JSONWritable)]

    public init(_ members: [(String, any JSONWritable)]) { self.members = members }

    public init(dictionaryLiteral members: (String, any JSONWritable)...) { self.members = members }

    public static func + (left: JSONObject, right: JSONObject) -> JSONObject {
        JSONObject(left.members + right.members)
    }

    public static func += (left: inout JSONObject, right: JSONObject) { left.members += right.members }

    /// The value of a key; nil without such a member.
    public subscript(key: String) -> (any JSONWritable)? { members.first { $0.0 == key }?.1 }

    public var keys: [String] { members.map(\.0) }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            for (key, value) in members {
                json.key(named: key)
                value.write(to: &json)
            }
        }
    }

    /// The object on one line, without a newline; a terminal shows it safely.
    public var line: String { String(decoding: JSONWriter.bytes(of: self), as: UTF8.self) }
}

extension JSONWriter {
    public static func bytes(of value: some JSONWritable) -> [UInt8] {
        var json = JSONWriter()
        value.write(to: &json)
        return json.bytes
    }
}

extension String: JSONWritable {
    public func write(to json: inout JSONWriter) { json.string(self) }
}

extension Bool: JSONWritable {
    public func write(to json: inout JSONWriter) { json.bool(self) }
}

extension Double: JSONWritable {
    /// Writes the number; NaN and infinity are null.
    public func write(to json: inout JSONWriter) { json.number(self) }
}

extension JSONWritable where Self: BinaryInteger {
    public func write(to json: inout JSONWriter) { json.integer(self) }
}

extension Int: JSONWritable {}
extension Int64: JSONWritable {}
extension Int8: JSONWritable {}
extension Int32: JSONWritable {}
extension UInt8: JSONWritable {}
extension UInt16: JSONWritable {}
extension UInt32: JSONWritable {}
extension UInt64: JSONWritable {}

extension Optional: JSONWritable where Wrapped: JSONWritable {
    /// Writes the value; nil is null.
    public func write(to json: inout JSONWriter) {
        if let self { self.write(to: &json) } else { json.null() }
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    public func write(to json: inout JSONWriter) {
        json.array { json in for element in self { element.write(to: &json) } }
    }
}
