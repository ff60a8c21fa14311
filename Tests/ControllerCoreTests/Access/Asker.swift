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

    var token: TokenDigest? {
        guard let role, let place = Session.Role.allCases.firstIndex(of: role) else {
            return TokenDigest([UInt8](repeating: 99, count: 32))
        }
        let byte = UInt8(100 + place + (account == Self.accounts[0] ? 0 : 10))
        return TokenDigest([UInt8](repeating: byte, count: 32))
    }
}

extension Bench {
    /// A bench whose controller knows every asker and the devices.
    static func withAskers() throws -> Bench {
        let bench = try Bench { configuration in
            for asker in Asker.all {
                guard let role = asker.role, let account = AccountID(asker.account), let token = asker.token,
                    let email = asker.email
                else { continue }
                let session = Session(account: account, email: email, role: role, isOperator: false)
                configuration.users.append(.init(session: session, passwordHash: ""))
                configuration.sessions.append(
                    .init(
                        digest: token, email: email,
                        openedAt: WallTime(unixMilliseconds: 1_800_000_000_000)))
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
