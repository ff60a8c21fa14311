/// A session, with the token that opens it where it has just been opened.
struct StatedSession: WireFields {
    let session: Session
    let token: Token?

    init(_ session: Session, _ token: Token? = nil) {
        self.session = session
        self.token = token
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (token, account, email, role, isOperator) = ([UInt8](), "", "", UInt32(0), false)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&token)
            case 2: try fields.read(&account)
            case 3: try fields.read(&email)
            case 4: try fields.read(&role)
            case 5: try fields.read(&isOperator)
            default: break
            }
        }
        self.init(
            Session(
                account: try AccountID(wire: account), email: try Email(wire: email),
                role: try Session.Role(wire: role), isOperator: isOperator),
            try Token(wire: token))
    }

    func write(to fields: inout FieldWriter) {
        if let token { fields.put(1, token.bytes) }
        fields.put(2, session.account.name)
        fields.put(3, session.email.address)
        fields.put(4, session.role.wire)
        fields.put(5, session.isOperator)
    }
}

extension Token {
    /// The token of those bytes; nil where there are none.
    init?(wire bytes: [UInt8]) throws(WireError) {
        guard !bytes.isEmpty else { return nil }
        guard let token = Token(bytes) else { throw .malformed("token", "\(Token.length) bytes") }
        self = token
    }
}
