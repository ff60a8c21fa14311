public import FleetProtocol
import FoundationEssentials

public enum APICredentials: Sendable, Equatable {
    /// `?apiKey=` and a key.
    case key(CellToken)
    /// `Authorization: Bearer` and the token from a log-in.
    case bearer(CellToken)
    /// An `apiKey` that is not a key.
    case malformedKey
    /// No credentials, or a malformed `Authorization` header.
    case nothing

    /// Parses the credentials in a query and a header; the API key takes precedence.
    public init(apiKey: String?, authorization: String?) {
        if let apiKey {
            self = CellToken(apiKey).map { .key($0) } ?? .malformedKey
            return
        }
        let parts = (authorization ?? "").split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "bearer",
            let token = CellToken(String(parts[1]))
        else {
            self = .nothing
            return
        }
        self = .bearer(token)
    }

    public func token() throws(APIError) -> CellToken {
        switch self {
        case .key(let token), .bearer(let token): token
        case .malformedKey: throw .invalidKey
        case .nothing: throw .loginRequired
        }
    }

    public var refusal: APIError {
        switch self {
        case .key, .malformedKey: .invalidKey
        case .bearer, .nothing: .loginRequired
        }
    }
}

/// An email and a password as an OAuth client sends them (RFC 6749, section 4.3.2).
public struct LoginForm: Sendable {
    public let email: Email
    public let password: Password

    /// Parses a body of form fields; `client_id` and `scope` are ignored.
    public init(_ body: [UInt8]) throws(APIError) {
        guard body.count <= APIRequest.bodyBytes else { throw .tooLarge }
        let fields = FormFields(String(decoding: body, as: UTF8.self))
        guard fields["grant_type"] == "password" else { throw .unsupportedGrant }
        guard let email = Email(fields["username"] ?? ""), let password = Password(fields["password"] ?? "")
        else { throw .invalidGrant }
        (self.email, self.password) = (email, password)
    }
}

/// The fields of a query or a form (`application/x-www-form-urlencoded`): `apiKey=KEY&fields=id%2Croom`.
public struct FormFields: Sendable {
    /// The maximum number of fields; further ones are ignored.
    public static let limit = 64

    private(set) var values: [String: String] = [:]

    /// Parses a text; the first field of a name takes precedence, and one without `=` has an empty value.
    public init(_ text: some StringProtocol) {
        for field in text.split(separator: "&", maxSplits: Self.limit).prefix(Self.limit) {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.decoded(parts[0])
            guard values[name] == nil else { continue }
            values[name] = parts.count > 1 ? Self.decoded(parts[1]) : ""
        }
    }

    /// The value of the field with a name; nil without such a field.
    public subscript(name: String) -> String? { values[name] }

    /// Returns the number that a field has in decimal digits; nil without the field.
    func number(_ name: String, in allowed: ClosedRange<Int>) throws(APIError) -> Int? {
        guard let text = self[name] else { return nil }
        guard text.utf8.allSatisfy(\.isDigit), let number = Int(text), allowed.contains(number) else {
            throw .badRequest("\(name) must be a number from \(allowed.lowerBound) to \(allowed.upperBound)")
        }
        return number
    }

    /// Decodes `%` with two hexadecimal digits as a byte, and in a form `+` as a space; an invalid escape is
    /// unchanged.
    public static func decoded(_ text: some StringProtocol, inPath isInPath: Bool = false) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+") where !isInPath: bytes.append(UInt8(ascii: " "))
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

/// A decoded JSON value from a client, not validated.
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

    /// Decodes a body; nil if it is not JSON.
    init?(_ body: [UInt8]) {
        guard let value = try? JSONDecoder().decode(JSONInput.self, from: Data(body)) else { return nil }
        self = value
    }

    /// Decodes a body as a JSON object, whatever its `Content-Type`; `limit` is in bytes.
    static func object(
        _ body: [UInt8], atMost limit: Int = APIRequest.bodyBytes
    ) throws(APIError) -> [String: JSONInput] {
        guard body.count <= limit else { throw .tooLarge }
        guard case .object(let members) = JSONInput(body) else {
            throw .badRequest("the body must be a JSON object")
        }
        return members
    }

    /// A Boolean; "true" and "false" as strings count too, as some clients send every value as a string.
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

    /// A number, or a finite number in a string; nil for other values.
    var number: Double? {
        switch self {
        case .number(let number): number
        case .string(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        case .null, .bool, .array, .object: nil
        }
    }

    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// A short form of the value for error messages: strings have at most 40 characters.
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
