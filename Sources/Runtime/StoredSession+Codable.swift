import FleetProtocol

extension StoredSession: Codable {
    private enum CodingKeys: String, CodingKey {
        case email, account, role, token
    }

    /// The session of the four texts; the token is 64 hexadecimal digits.
    public init(from decoder: any Decoder) throws {
        let texts = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value>(_ key: CodingKeys, _ make: (String) -> Value?) throws -> Value {
            guard let value = make(try texts.decode(String.self, forKey: key)) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: texts, debugDescription: "not allowed")
            }
            return value
        }
        self.init(
            email: try value(.email) { Email($0) }, account: try value(.account) { AccountID($0) },
            role: try value(.role) { name in Session.Role.allCases.first { $0.name == name } },
            token: try value(.token) { Token(hexadecimal: $0) })
    }

    /// Writes the four texts.
    public func encode(to encoder: any Encoder) throws {
        var texts = encoder.container(keyedBy: CodingKeys.self)
        try texts.encode(email.address, forKey: .email)
        try texts.encode(account.name, forKey: .account)
        try texts.encode(role.name, forKey: .role)
        try texts.encode(token.bytes.hexadecimal, forKey: .token)
    }
}
