import FleetProtocol
import Testing

@testable import ControllerCore

/// The sender of a request: an owner, a member or a viewer of one of two accounts, or an unknown user.
struct Asker: Sendable, CustomTestStringConvertible {
    /// The devices of a bench's node belong to the first account.
    static let accounts = ["demo", "other"]

    static let all = accounts.flatMap { account in
        (Session.Role.allCases + [nil]).map { Asker(account: account, role: $0) }
    }

    let account: String
    let role: Session.Role?

    var testDescription: String { "\(account)'s \(role.map(\.name) ?? "nobody")" }

    /// The account that the asker does not belong to.
    var otherAccount: String { account == Self.accounts[0] ? Self.accounts[1] : Self.accounts[0] }

    var email: Email? { role.flatMap { Email("\($0.name)@\(account).example") } }

    var token: TokenDigest {
        guard let role, let place = Session.Role.allCases.firstIndex(of: role) else { return .of(99) }
        return .of(UInt8(100 + place + (account == Self.accounts[0] ? 0 : 10)))
    }
}

extension Bench {
    /// A bench whose controller knows every asker and the devices.
    static func withAskers() -> Bench {
        let bench = Bench { configuration in
            for asker in Asker.all {
                guard let role = asker.role, let email = asker.email else { continue }
                let session = Session(email, of: valid(AccountID(asker.account)), role)
                configuration.add(session, digest: asker.token)
            }
        }
        bench.bringUp(2)
        bench.passWithPings(.seconds(2))
        return bench
    }

    /// The last reply to a request of that asker.
    func answer(to body: ClientRequest.Body, of asker: Asker) throws -> ClientReply.Body {
        try #require(replies(to: ask(body, token: asker.token)).last)
    }
}
