import FleetProtocol
import Testing

@testable import ControllerCore

extension APIKey.Name {
    fileprivate static let script = valid(APIKey.Name("script"))
}

extension Bench {
    @discardableResult
    fileprivate func addKey(
        _ name: String = "script", byte: UInt8 = 9, _ scope: APIKey.Scope = .switch,
        token: TokenDigest? = Bench.token
    ) -> UInt64 {
        ask(.addKey(valid(APIKey.Name(name)), .of(byte), scope), token: token)
    }

    fileprivate func keys(token: TokenDigest? = Bench.token) -> [String] {
        guard case .keys(let keys)? = reply(to: .keys, token: token) else { return [] }
        return keys.map(\.name.text)
    }
}

@Suite("API keys")
struct KeyTests {
    private let bench = Bench.withDevices()

    private static let digest = TokenDigest.of(9)

    @Test("an API key acts for its user, and is stored before the reply")
    func made() {
        let correlation = bench.addKey()
        let key = APIKey(name: .script, user: .demo, madeAt: bench.now.wall)
        #expect(bench.replies(to: correlation) == [.keyAdded(key)])
        #expect(bench.access == [.keyAdded(key, Self.digest)])
        #expect(bench.refusal(to: .status, token: Self.digest) == nil)
        for (token, shown) in [(Self.digest, key), (Bench.token, nil)] {
            let session = Session(account: .demo, email: .demo, role: .owner, isOperator: true, key: shown)
            #expect(bench.reply(to: .who, token: token) == .who(session))
        }
    }

    @Test("an API key does not expire as a session does")
    func lasting() {
        bench.addKey()
        bench.setClock(Sessions.longestAge + .seconds(1))
        #expect(bench.refusal(to: .status) == .unauthenticated)
        #expect(bench.refusal(to: .status, token: Self.digest) == nil)
    }

    @Test("an API key has the role of its user")
    func role() {
        bench.addKey(token: Bench.viewerToken)
        let cancel = bench.ask(.cancel(bench.newID(), timeout: nil), token: Self.digest)
        #expect(bench.refusal(of: cancel)?.kind == "notAllowed")
    }

    @Test("an API key ends when its user's password changes, unless keys are kept", arguments: [false, true])
    func passwordChanged(areRetained: Bool) {
        bench.addKey(token: Bench.viewerToken)
        bench.addKey("operators", byte: 8)
        bench.effects = []
        let change = bench.ask(.changePassword(.viewer, to: .secret, retainsKeys: areRetained))
        bench.step(.passwordHashed(ticket: 1, hash: "a new hash"))
        #expect(bench.replies(to: change) == [.passwordChanged(sessions: 1, keys: areRetained ? 0 : 1)])
        let entry = AccessEntry.keysRevoked([Self.digest])
        #expect(bench.access.contains(entry) != areRetained)
        let refusal = bench.refusal(to: .status, token: Self.digest)
        #expect(refusal == (areRetained ? nil : .unauthenticated))
        #expect(bench.refusal(to: .status, token: .of(8)) == nil)
    }

    @Test("an API key is visible to its user only, and only its user can revoke it")
    func own() {
        bench.addKey()
        #expect(bench.keys() == ["script"])
        #expect(bench.keys(token: Bench.viewerToken).isEmpty)
        let revoked = bench.ask(.revokeKey(.script), token: Bench.viewerToken)
        #expect(bench.refusal(of: revoked) == .notFound)
        #expect(bench.refusal(to: .status, token: Self.digest) == nil)
    }

    @Test("a revoked API key is refused at once")
    func revoked() {
        bench.addKey()
        bench.effects = []
        let key = APIKey(name: .script, user: .demo, madeAt: bench.now.wall)
        #expect(bench.replies(to: bench.ask(.revokeKey(.script))) == [.keyRevoked(key)])
        #expect(bench.access == [.keysRevoked([Self.digest])])
        #expect(bench.refusal(to: .status, token: Self.digest) == .unauthenticated)
        #expect(bench.keys().isEmpty)
    }

    @Test("an API key cannot manage keys, so that a stolen one cannot prolong its life")
    func unmanaged() {
        bench.addKey()
        #expect(bench.refusal(of: bench.addKey("another", byte: 8, token: Self.digest))?.kind == "notAllowed")
        let revocation = bench.ask(.revokeKey(.script), token: Self.digest)
        #expect(bench.refusal(of: revocation)?.kind == "notAllowed")
        #expect(bench.refusal(to: .keys, token: Self.digest)?.kind == "notAllowed")
        #expect(bench.refusal(to: .logout(everywhere: true), token: Self.digest)?.kind == "notAllowed")
        #expect(bench.refusal(to: .status) == nil)
    }

    @Test("API keys have distinct names and digests, and their number is bounded")
    func refused() {
        bench.addKey()
        #expect(bench.refusal(of: bench.addKey(byte: 8))?.kind == "invalid")
        #expect(bench.refusal(of: bench.addKey("another", byte: 9))?.kind == "invalid")
        // The digest of a session in use.
        #expect(bench.refusal(of: bench.addKey("another", byte: 2))?.kind == "invalid")
        for index in 1..<Limits.userKeys { bench.addKey("key-\(index)", byte: UInt8(100 + index)) }
        #expect(bench.keys().count == Limits.userKeys)
        #expect(bench.refusal(of: bench.addKey("one-more", byte: 99))?.kind == "invalid")
    }

    @Test("an API key survives a logout everywhere, and ends with its user")
    func ends() {
        bench.addKey(token: Bench.viewerToken)
        _ = bench.ask(.logout(everywhere: true), token: Bench.viewerToken)
        #expect(bench.refusal(to: .status, token: Self.digest) == nil)
        bench.effects = []
        _ = bench.ask(.removeUser(Email.viewer))
        #expect(bench.access.last == .keysRevoked([Self.digest]))
        #expect(bench.refusal(to: .status, token: Self.digest) == .unauthenticated)
    }

    @Test("a stored API key is valid after a restart")
    func recovered() {
        let key = APIKey(name: .script, user: .demo, madeAt: WallTime(unixMilliseconds: 1), scope: .read)
        let bench = Bench { $0.keys = [.init(digest: Self.digest, key: key)] }
        #expect(bench.refusal(to: .status, token: Self.digest) == nil)
        #expect(bench.keys() == ["script"])
        let cancel = bench.ask(.cancel(bench.newID(), timeout: nil), token: Self.digest)
        #expect(bench.refusal(of: cancel)?.kind == "notAllowed")
    }
}
