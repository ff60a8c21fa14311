public import FleetProtocol

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
