import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("API keys")
struct KeyTests {
    private static let digest = TokenDigest([UInt8](repeating: 9, count: 32))

    private func name(_ text: String) throws -> APIKey.Name { try #require(APIKey.Name(text)) }

    @discardableResult
    private func add(
        _ bench: Bench, _ text: String = "script", byte: UInt8 = 9, _ scope: APIKey.Scope = .switch,
        token: TokenDigest? = Bench.token
    ) throws -> UInt64 {
        let digest = try #require(TokenDigest([UInt8](repeating: byte, count: 32)))
        return bench.ask(.addKey(try name(text), digest, scope), token: token)
    }

    private func keys(_ bench: Bench, token: TokenDigest? = Bench.token) -> [String] {
        guard case .keys(let keys)? = bench.replies(to: bench.ask(.keys, token: token)).first else {
            return []
        }
        return keys.map(\.name.text)
    }

    private func isRefused(_ bench: Bench, _ correlation: UInt64, _ kind: String) -> Bool {
        bench.refusal(of: correlation).map { "\($0)".hasPrefix(kind) } ?? false
    }

    @Test("an API key acts for its user, and is stored before the reply")
    func made() throws {
        let bench = try Bench.withDevices()
        let correlation = try add(bench)
        let key = APIKey(
            name: try name("script"), user: try #require(Email("demo@sensibus.local")), madeAt: bench.now.wall
        )
        #expect(bench.replies(to: correlation) == [.keyAdded(key)])
        #expect(bench.access == [.keyAdded(key, try #require(Self.digest))])
        #expect(bench.refusal(of: bench.ask(.status, token: Self.digest)) == nil)
        for (token, shown) in [(Self.digest, key), (Bench.token, nil)] {
            guard case .who(let session)? = bench.replies(to: bench.ask(.who, token: token)).first else {
                Issue.record("no session")
                continue
            }
            #expect(session.key == shown)
        }
    }

    @Test("an API key does not expire as a session does")
    func lasting() throws {
        let bench = try Bench.withDevices()
        try add(bench)
        let later = bench.now.wall.advanced(by: Sessions.longestAge + .seconds(1))
        bench.now = Moment(monotonic: bench.now.monotonic, wall: later)
        #expect(bench.refusal(of: bench.ask(.status)) == .unauthenticated)
        #expect(bench.refusal(of: bench.ask(.status, token: Self.digest)) == nil)
    }

    @Test("an API key has the role of its user")
    func role() throws {
        let bench = try Bench.withDevices()
        try add(bench, token: Bench.viewerToken)
        let cancel = bench.ask(.cancel(bench.newID(), timeout: nil), token: Self.digest)
        #expect(isRefused(bench, cancel, "notAllowed"))
    }

    @Test("an API key ends when its user's password changes, unless keys are kept", arguments: [false, true])
    func passwordChanged(areRetained: Bool) throws {
        let bench = try Bench.withDevices()
        try add(bench, token: Bench.viewerToken)
        try add(bench, "operators", byte: 8)
        bench.effects = []
        let viewer = try #require(Email("viewer@sensibus.local"))
        let password = try #require(Password("open sesame"))
        let change = bench.ask(.changePassword(viewer, to: password, retainsKeys: areRetained))
        bench.step(.passwordHashed(ticket: 1, hash: "a new hash"))
        #expect(bench.replies(to: change) == [.passwordChanged(sessions: 1, keys: areRetained ? 0 : 1)])
        let entry = AccessEntry.keysRevoked([try #require(Self.digest)])
        #expect(bench.access.contains(entry) != areRetained)
        let refusal = bench.refusal(of: bench.ask(.status, token: Self.digest))
        #expect(refusal == (areRetained ? nil : .unauthenticated))
        let others = try #require(TokenDigest([UInt8](repeating: 8, count: 32)))
        #expect(bench.refusal(of: bench.ask(.status, token: others)) == nil)
    }

    @Test("an API key is visible to its user only, and only its user can revoke it")
    func own() throws {
        let bench = try Bench.withDevices()
        try add(bench)
        #expect(keys(bench) == ["script"])
        #expect(keys(bench, token: Bench.viewerToken).isEmpty)
        let revoked = bench.ask(.revokeKey(try name("script")), token: Bench.viewerToken)
        #expect(bench.refusal(of: revoked) == .notFound)
        #expect(bench.refusal(of: bench.ask(.status, token: Self.digest)) == nil)
    }

    @Test("a revoked API key is refused at once")
    func revoked() throws {
        let bench = try Bench.withDevices()
        try add(bench)
        bench.effects = []
        let correlation = bench.ask(.revokeKey(try name("script")))
        guard case .keyRevoked(let key)? = bench.replies(to: correlation).first else {
            Issue.record("not revoked: \(bench.replies(to: correlation))")
            return
        }
        #expect(key.name.text == "script")
        #expect(bench.access == [.keysRevoked([try #require(Self.digest)])])
        #expect(bench.refusal(of: bench.ask(.status, token: Self.digest)) == .unauthenticated)
        #expect(keys(bench).isEmpty)
    }

    @Test("an API key cannot manage keys, so that a stolen one cannot prolong its life")
    func unmanaged() throws {
        let bench = try Bench.withDevices()
        try add(bench)
        #expect(isRefused(bench, try add(bench, "another", byte: 8, token: Self.digest), "notAllowed"))
        let revocation = bench.ask(.revokeKey(try name("script")), token: Self.digest)
        #expect(isRefused(bench, revocation, "notAllowed"))
        #expect(isRefused(bench, bench.ask(.keys, token: Self.digest), "notAllowed"))
        #expect(isRefused(bench, bench.ask(.logout(everywhere: true), token: Self.digest), "notAllowed"))
        #expect(bench.refusal(of: bench.ask(.status)) == nil)
    }

    @Test("API keys have distinct names and digests, and their number is bounded")
    func refused() throws {
        let bench = try Bench.withDevices()
        try add(bench)
        #expect(isRefused(bench, try add(bench, byte: 8), "invalid"))
        #expect(isRefused(bench, try add(bench, "another", byte: 9), "invalid"))
        // The digest of a session in use.
        #expect(isRefused(bench, try add(bench, "another", byte: 2), "invalid"))
        for index in 1..<Limits.userKeys { try add(bench, "key-\(index)", byte: UInt8(100 + index)) }
        #expect(keys(bench).count == Limits.userKeys)
        #expect(isRefused(bench, try add(bench, "one-more", byte: 99), "invalid"))
    }

    @Test("an API key survives a logout everywhere, and ends with its user")
    func ends() throws {
        let bench = try Bench.withDevices()
        try add(bench, token: Bench.viewerToken)
        _ = bench.ask(.logout(everywhere: true), token: Bench.viewerToken)
        #expect(bench.refusal(of: bench.ask(.status, token: Self.digest)) == nil)
        bench.effects = []
        _ = bench.ask(.removeUser(try #require(Email("viewer@sensibus.local"))))
        #expect(bench.access.last == .keysRevoked([try #require(Self.digest)]))
        #expect(bench.refusal(of: bench.ask(.status, token: Self.digest)) == .unauthenticated)
    }

    @Test("a stored API key is valid after a restart")
    func recovered() throws {
        let user = try #require(Email("demo@sensibus.local"))
        let key = APIKey(
            name: try name("script"), user: user, madeAt: WallTime(unixMilliseconds: 1), scope: .read)
        let digest = try #require(Self.digest)
        let bench = try Bench { $0.keys = [.init(digest: digest, key: key)] }
        #expect(bench.refusal(of: bench.ask(.status, token: digest)) == nil)
        #expect(keys(bench) == ["script"])
        let cancel = bench.ask(.cancel(bench.newID(), timeout: nil), token: digest)
        #expect(isRefused(bench, cancel, "notAllowed"))
    }
}
