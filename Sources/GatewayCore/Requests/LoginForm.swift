public import FleetProtocol

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
