extension Session.Role: WireEnum {
    init(wire number: UInt32) throws(WireError) {
        try self.init(wire: number, field: "role", expected: "a role")
    }
}

extension User: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (email, role, isOperator) = ("", UInt32(0), false)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&email)
            case 2: try fields.read(&role)
            case 3: try fields.read(&isOperator)
            default: break
            }
        }
        self.init(
            email: try Email(wire: email), role: try Session.Role(wire: role), isOperator: isOperator)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, email.address)
        fields.put(2, role.wire)
        fields.put(3, isOperator)
    }
}

extension Password {
    init(wire text: String) throws(WireError) {
        guard let password = Password(text) else {
            throw .malformed("password", "1 to \(Limits.passwordBytes) bytes")
        }
        self = password
    }
}

/// Whose password is to be another one, and whether their keys go on.
struct PasswordChange: WireFields {
    let email: Email
    let password: Password
    let keepsKeys: Bool

    init(_ email: Email, _ password: Password, _ keepsKeys: Bool) {
        self.email = email
        self.password = password
        self.keepsKeys = keepsKeys
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (email, password, keepsKeys) = ("", "", false)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&email)
            case 2: try fields.read(&password)
            case 3: try fields.read(&keepsKeys)
            default: break
            }
        }
        self.init(try Email(wire: email), try Password(wire: password), keepsKeys)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, email.address)
        fields.put(2, password.text)
        fields.put(3, keepsKeys)
    }
}

/// A change of a user's role.
struct RoleChange: WireFields {
    let email: Email
    let role: Session.Role

    init(_ email: Email, _ role: Session.Role) {
        self.email = email
        self.role = role
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (email, role) = ("", UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&email)
            case 2: try fields.read(&role)
            default: break
            }
        }
        self.init(try Email(wire: email), try Session.Role(wire: role))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, email.address)
        fields.put(2, role.wire)
    }
}
