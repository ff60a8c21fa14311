extension WayInRequest {
    init(wire body: Choice) throws(WireError) {
        switch body.number {
        case 70: self = .ways
        case 71:
            let login = try Login(wire: body.message)
            self = .signUp(email: login.email, password: login.password, source: login.source)
        case 72:
            let (email, source) = try body.message.firstTexts()
            self = .forgotPassword(try Email(wire: email), source: try LoginSource(wire: source))
        default:
            var (message, password, keepsKeys) = (body.message, "", false)
            while let field = try message.next() {
                switch field {
                case 1: try message.read(&password)
                case 2: try message.read(&keepsKeys)
                default: break
                }
            }
            self = .resetPassword(to: try Password(wire: password), keepsKeys: keepsKeys)
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .ways: fields.put(70) { _ in }
        case .signUp(let email, let password, let source): fields.put(71, Login(email, password, source))
        case .forgotPassword(let email, let source):
            fields.put(72) {
                $0.put(1, email.address)
                if let source { $0.put(2, source.text) }
            }
        case .resetPassword(let password, let keepsKeys):
            fields.put(73) {
                $0.put(1, password.text)
                $0.put(2, keepsKeys)
            }
        }
    }
}

extension WayInReply {
    init(wire body: Choice) throws(WireError) {
        switch body.number {
        case 70: self = .ways(try WaysIn(wire: body.message))
        case 71: self = .recoveryBegun
        default:
            let reset = try ResetPassword(wire: body.message)
            self = .passwordReset(reset.email, sessions: reset.sessions, keys: reset.keys)
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .ways(let ways): fields.put(70, ways)
        case .recoveryBegun: fields.put(71) { _ in }
        case .passwordReset(let email, let sessions, let keys):
            fields.put(72, ResetPassword(email, sessions, keys))
        }
    }
}

extension WaysIn: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (signsUp, recovers) = (false, false)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&signsUp)
            case 2: try fields.read(&recovers)
            default: break
            }
        }
        self.init(signsUp: signsUp, recovers: recovers)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, signsUp)
        fields.put(2, recovers)
    }
}

/// Whose password is another one.
private struct ResetPassword: WireFields {
    let email: Email
    let sessions: UInt32
    let keys: UInt32

    init(_ email: Email, _ sessions: UInt32, _ keys: UInt32) {
        self.email = email
        self.sessions = sessions
        self.keys = keys
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (email, sessions, keys) = ("", UInt32(0), UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&email)
            case 2: try fields.read(&sessions)
            case 3: try fields.read(&keys)
            default: break
            }
        }
        self.init(try Email(wire: email), sessions, keys)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, email.address)
        fields.put(2, sessions)
        fields.put(3, keys)
    }
}
