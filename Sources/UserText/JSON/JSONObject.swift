/// A value that has a form in JSON.
public protocol JSONWritable: Sendable {
    func write(to json: inout JSONWriter)
}

/// A JSON object, whose members keep their order; keys must not repeat.
public struct JSONObject: JSONWritable, ExpressibleByDictionaryLiteral {
    private var members: [(String, any JSONWritable)]

    public init(_ members: [(String, any JSONWritable)]) { self.members = members }

    public init(dictionaryLiteral members: (String, any JSONWritable)...) { self.members = members }

    /// Returns an object with the members of both.
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
    /// Returns a value as JSON on one line.
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
