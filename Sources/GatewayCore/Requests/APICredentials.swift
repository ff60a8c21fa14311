public import FleetProtocol
import UserText

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
    public init(_ text: String) {
        for field in text.utf8.split(separator: UInt8(ascii: "&"), maxSplits: Self.limit).prefix(Self.limit) {
            let end = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
            let name = Self.decoded(Substring(field[..<end]))
            guard values[name] == nil else { continue }
            values[name] = Self.decoded(Substring(field[end...].dropFirst()))
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
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(text)
        }
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

/// Values in bodies of clients, which are not validated yet.
extension JSONTree {
    /// Parses a body as a JSON object, whatever its `Content-Type`; `limit` is in bytes.
    static func object(
        _ body: [UInt8], atMost limit: Int = APIRequest.bodyBytes
    ) throws(APIError) -> [String: JSONTree] {
        guard body.count <= limit else { throw .tooLarge }
        guard let members = (try? JSONTree(parsing: body))?.membersByKey else {
            throw .badRequest("the body must be a JSON object")
        }
        return members
    }

    /// The members of an object; of several with the same key the last one counts.
    var membersByKey: [String: JSONTree]? {
        guard case .object(let members) = self else { return nil }
        return Dictionary(members.map { ($0.key, $0.value) }) { _, last in last }
    }

    /// A Boolean; "true" and "false" as strings count too, as some clients send every value as a string.
    var givenFlag: Bool? {
        switch text?.lowercased() {
        case "true": true
        case "false": false
        default: flag
        }
    }

    /// A number, or a finite number in a string; nil for other values.
    var givenNumber: Double? { number ?? text.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil } }

    var isNull: Bool { self == .null }

    /// A short form of the value for error messages: strings have at most 40 characters.
    var shown: String {
        switch self {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .number(let digits):
            number.flatMap { Int(exactly: $0) }.map { "\($0)" } ?? String(digits.prefix(40))
        case .string(let text): String(text.prefix(40))
        case .array: "[...]"
        case .object: "{...}"
        }
    }
}
