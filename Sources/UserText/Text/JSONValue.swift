/// A JSON value whose members keep the order in which they were written.
public enum JSONValue: Equatable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    case integer(Int64)
    /// A non-negative integer.
    case unsigned(UInt64)
    /// A number; NaN and infinity are encoded as null.
    case number(Double)
    case string(String)
    case array([JSONValue])
    /// An object; the caller must not repeat keys.
    case object([Member])

    /// A member of an object.
    public struct Member: Equatable, Sendable {
        /// The member's name.
        public let key: String
        /// Its value.
        public let value: JSONValue

        /// A member of that name.
        public init(_ key: String, _ value: JSONValue) { (self.key, self.value) = (key, value) }
    }

    /// A string, or null for nil.
    public static func text(_ text: (some CustomStringConvertible)?) -> JSONValue {
        text.map { .string($0.description) } ?? .null
    }

    /// The encoded value on one line, without a newline.
    ///
    /// Control and invisible characters are escaped, so a terminal shows the line safely.
    public var line: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the bytes of ``line``.
    public func append(to output: inout [UInt8]) {
        switch self {
        case .null: output += "null".utf8
        case .bool(let value): output += (value ? "true" : "false").utf8
        case .integer(let value): output += String(value).utf8
        case .unsigned(let value): output += String(value).utf8
        case .number(let value): output += (value.isFinite ? "\(value)" : "null").utf8
        case .string(let text): Self.append(quoted: text, to: &output)
        case .array(let values):
            Self.append(values, between: "[", and: "]", to: &output) { $0.append(to: &$1) }
        case .object(let members):
            Self.append(members, between: "{", and: "}", to: &output) { member, output in
                Self.append(quoted: member.key, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.append(to: &output)
            }
        }
    }

    private static func append<Part>(
        _ parts: [Part], between opening: Unicode.Scalar, and closing: Unicode.Scalar,
        to output: inout [UInt8], _ appendPart: (Part, inout [UInt8]) -> Void
    ) {
        output.append(UInt8(ascii: opening))
        for (index, part) in parts.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            appendPart(part, &output)
        }
        output.append(UInt8(ascii: closing))
    }

    /// Appends a text as a JSON string, for writers without a tree of values.
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

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// An object of those members, in that order.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
}
