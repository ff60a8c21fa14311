import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Changes of a user's role")
struct RoleTests {
    private func email(_ name: String) throws -> Email { try #require(Email("\(name)@sensibus.local")) }

    private func isNotAllowed(_ bench: Bench, _ correlation: UInt64) -> Bool {
        if case .notAllowed? = bench.refusal(of: correlation) { true } else { false }
    }

    @Test("a new role applies to open sessions at once, is stored before the reply, and survives a restart")
    func changed() throws {
        let bench = try Bench.withDevices()
        let viewer = try email("viewer")
        #expect(isNotAllowed(bench, bench.toggle(token: Bench.viewerToken).correlation))
        bench.effects = []
        let change = bench.ask(.changeRole(viewer, to: .member))
        let reported = User(email: viewer, role: .member, isOperator: false)
        guard case .store(.access(.roleChanged(let stored)))? = bench.effects.first else {
            Issue.record("the role was not stored: \(bench.effects)")
            return
        }
        #expect(stored.session.role == .member && stored.session.email == viewer)
        #expect(bench.replies(to: change) == [.userChanged(reported)])
        #expect(!isNotAllowed(bench, bench.toggle(token: Bench.viewerToken).correlation))
        #expect(
            bench.replies(to: bench.ask(.users)).contains { reply in
                if case .users(let users) = reply { users.contains(reported) } else { false }
            })
        bench.ask(.changeRole(viewer, to: .viewer))
        #expect(isNotAllowed(bench, bench.toggle(token: Bench.viewerToken).correlation))
    }

    @Test("only operators can change a role, and only in their own account")
    func refused() throws {
        let bench = try Bench.withDevices()
        let change = ClientRequest.Body.changeRole(try email("viewer"), to: .owner)
        #expect(isNotAllowed(bench, bench.ask(change, token: Bench.viewerToken)))
        for name in ["eve", "nobody"] {
            let foreign = bench.ask(.changeRole(try email(name), to: .viewer))
            #expect(bench.refusal(of: foreign) == .notFound)
        }
        #expect(bench.access.isEmpty)
    }

    @Test("operators cannot change their own role, so that an account keeps an owner")
    func own() throws {
        let bench = try Bench.withDevices()
        #expect(isNotAllowed(bench, bench.ask(.changeRole(try email("demo"), to: .viewer))))
        #expect(bench.access.isEmpty)
    }
}
