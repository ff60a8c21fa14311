import Wording

/// A JSON value whose members keep the order in which they were written.
enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// One member of an object.
    struct Member: Equatable, Sendable {
        /// The member's name.
        let key: String
        /// Its value.
        let value: JSONValue
    }

    /// A text, or null.
    static func text(_ text: (some CustomStringConvertible)?) -> JSONValue {
        text.map { .string($0.description) } ?? .null
    }

    /// The value on one line.
    ///
    /// Whatever a terminal could take for a command is escaped, so a line can be shown as it is. A number
    /// that JSON has no word for is null.
    var line: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .number(let value): value.isFinite ? "\(value)" : "null"
        case .string(let text): Self.quoted(text)
        case .array(let values): "[" + values.map(\.line).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.key) + ":" + $0.value.line }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "\"") { quoted, scalar in
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case _ where !SafeText.isSafe(scalar): quoted += escaped(scalar)
            default: quoted.unicodeScalars.append(scalar)
            }
        } + "\""
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.reduce(into: "") { escaped, unit in
            let digits = String(unit, radix: 16)
            escaped += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member(key: $0.0, value: $0.1) })
    }
}
