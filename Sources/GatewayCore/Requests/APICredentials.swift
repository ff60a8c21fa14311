public import FleetProtocol
import FoundationEssentials

/// What somebody shows to be let in.
public enum APICredentials: Sendable, Equatable {
    /// `?apiKey=` and 64 hexadecimal digits.
    case key(Token)
    /// `Authorization: Bearer` and 64 hexadecimal digits: what a log-in gave.
    case bearer(Token)
    /// A key that is none.
    case malformedKey
    /// Nothing, or a Bearer that is none.
    case nothing

    /// What a query and a header show; the key counts where there are both.
    public init(apiKey: String?, authorization: String?) {
        if let apiKey {
            self = Token(hexadecimal: apiKey).map { .key($0) } ?? .malformedKey
            return
        }
        let words = (authorization ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer",
            let token = Token(hexadecimal: String(words[1]))
        else {
            self = .nothing
            return
        }
        self = .bearer(token)
    }

    /// What the controller is shown.
    ///
    /// - Throws: ``APIError/loginRequired`` and ``APIError/invalidKey``.
    public func token() throws(APIError) -> Token {
        switch self {
        case .key(let token), .bearer(let token): token
        case .malformedKey: throw .invalidKey
        case .nothing: throw .loginRequired
        }
    }

    /// What whoever shows it hears when the controller does not know it.
    public var refusal: APIError {
        switch self {
        case .key, .malformedKey: .invalidKey
        case .bearer, .nothing: .loginRequired
        }
    }
}

extension Token {
    /// The token that 64 hexadecimal digits spell; nil when they are anything else.
    fileprivate init?(hexadecimal text: String) {
        guard text.utf8.count == 2 * Token.length, let bytes = [UInt8](hexadecimal: text) else { return nil }
        self.init(bytes)
    }
}

/// An email and a password as an OAuth client sends them (RFC 6749, section 4.3.2).
public struct LoginForm: Sendable {
    /// Who wants in.
    public let email: Email
    /// How they show that it is them.
    public let password: Password

    /// What a body of form fields says; `client_id` and `scope` may be anything.
    ///
    /// - Throws: ``APIError/unsupportedGrant``, ``APIError/invalidGrant`` for what can be nobody's, and
    ///   ``APIError/tooLarge``.
    public init(_ body: [UInt8]) throws(APIError) {
        guard body.count <= APIRequest.bodyBytes else { throw .tooLarge }
        let fields = FormFields(String(decoding: body, as: UTF8.self))
        guard fields["grant_type"] == "password" else { throw .unsupportedGrant }
        guard let email = Email(fields["username"] ?? ""), let password = Password(fields["password"] ?? "")
        else { throw .invalidGrant }
        self.email = email
        self.password = password
    }
}

/// Named texts as a query or a form has them: `apiKey=KEY&fields=id%2Croom`.
public struct FormFields: Sendable {
    /// Fields that are read at most; what follows is passed over.
    public static let limit = 64

    private var values: [String: String] = [:]

    /// The fields of a text; of two with one name the first counts, and what is no field is passed over.
    public init(_ text: some StringProtocol) {
        for field in text.split(separator: "&", maxSplits: Self.limit).prefix(Self.limit) {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.decoded(parts[0])
            guard values[name] == nil else { continue }
            values[name] = parts.count > 1 ? Self.decoded(parts[1]) : ""
        }
    }

    /// The value of that name; nil where there is none.
    public subscript(name: String) -> String? { values[name] }

    /// A text with `+` as a blank and `%` before two digits undone; what is no escape stays as it is.
    private static func decoded(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                if let value = [UInt8](hexadecimal: String(decoding: rest.prefix(2), as: UTF8.self))?.first {
                    bytes.append(value)
                    rest = rest.dropFirst(2)
                } else {
                    bytes.append(byte)
                }
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

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
