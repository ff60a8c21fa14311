import FoundationEssentials

/// JSON as it came from outside: anything may be in it.
enum JSONInput: Decodable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONInput])
    case object([String: JSONInput])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([JSONInput].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSONInput].self))
        }
    }

    /// The object that a body is, whatever its type is said to be.
    ///
    /// - Parameter limit: Bytes that it may have.
    /// - Throws: ``APIError/badRequest(_:)`` where it is none, and ``APIError/tooLarge``.
    static func object(
        _ body: [UInt8], atMost limit: Int = APIRequest.bodyBytes
    ) throws(APIError) -> [String: JSONInput] {
        guard body.count <= limit else { throw .tooLarge }
        guard case .object(let members) = try? JSONDecoder().decode(JSONInput.self, from: Data(body)) else {
            throw .badRequest("the body is no JSON object")
        }
        return members
    }

    /// A flag; texts are taken as well, for some clients send every value as one.
    var flag: Bool? {
        switch self {
        case .bool(let flag): flag
        case .string(let text):
            switch text.lowercased() {
            case "true": true
            case "false": false
            default: nil
            }
        case .null, .number, .array, .object: nil
        }
    }

    /// A number, or a text that spells one.
    var number: Double? {
        switch self {
        case .number(let number): number
        case .string(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        case .null, .bool, .array, .object: nil
        }
    }

    /// A text.
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// What it says, for a person: short, whatever it is.
    var shown: String {
        switch self {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        case .string(let text): String(text.prefix(40))
        case .array: "[...]"
        case .object: "{...}"
        }
    }
}
