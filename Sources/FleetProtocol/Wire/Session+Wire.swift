import FoundationEssentials
import SwiftProtobuf

extension Session {
    init(wire: Sensibus_V1_Session) throws(WireError) {
        self.init(
            account: try AccountID(wire: wire.account), email: try Email(wire: wire.email),
            role: try Role(wire: wire.role), isOperator: wire.isOperator)
    }

    func wire(_ token: Token) -> Sensibus_V1_Session {
        .with {
            $0.token = .init(token.bytes)
            $0.account = account.name
            $0.email = email.address
            $0.isOperator = isOperator
            $0.role = role.wire
        }
    }
}
