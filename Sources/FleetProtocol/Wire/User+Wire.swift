import SwiftProtobuf

extension Session.Role {
    init(wire: Sensibus_V1_Role) throws(WireError) {
        switch wire {
        case .owner: self = .owner
        case .member: self = .member
        case .viewer: self = .viewer
        case .unspecified, .UNRECOGNIZED: throw .malformed("role", "a role")
        }
    }

    var wire: Sensibus_V1_Role {
        switch self {
        case .owner: .owner
        case .member: .member
        case .viewer: .viewer
        }
    }
}

extension User {
    init(wire: Sensibus_V1_User) throws(WireError) {
        self.init(
            email: try Email(wire: wire.email), role: try Session.Role(wire: wire.role),
            isOperator: wire.isOperator)
    }

    var wire: Sensibus_V1_User {
        .with {
            $0.email = email.address
            $0.role = role.wire
            $0.isOperator = isOperator
        }
    }
}

extension [User] {
    init(wire: Sensibus_V1_UserList) throws(WireError) {
        guard wire.users.count <= Limits.accountUsers else {
            throw .malformed("users", "at most \(Limits.accountUsers)")
        }
        self = []
        for user in wire.users { append(try User(wire: user)) }
    }

    var wire: Sensibus_V1_UserList {
        .with { $0.users = map(\.wire) }
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
