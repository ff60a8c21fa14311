import FoundationEssentials
import SwiftProtobuf

extension Session {
    init(wire: Sensibus_V1_Session) throws(WireError) {
        let role: Role
        switch wire.role {
        case .owner: role = .owner
        case .member: role = .member
        case .viewer: role = .viewer
        case .unspecified, .UNRECOGNIZED: throw .malformed("role", "a role")
        }
        self.init(
            account: try AccountID(wire: wire.account), email: try Email(wire: wire.email), role: role,
            isOperator: wire.isOperator)
    }

    func wire(_ token: Token) -> Sensibus_V1_Session {
        .with {
            $0.token = .init(token.bytes)
            $0.account = account.name
            $0.email = email.address
            $0.isOperator = isOperator
            switch role {
            case .owner: $0.role = .owner
            case .member: $0.role = .member
            case .viewer: $0.role = .viewer
            }
        }
    }
}
