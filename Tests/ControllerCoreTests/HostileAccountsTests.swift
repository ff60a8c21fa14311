import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

@Suite("Sixty-four hostile accounts without devices")
struct HostileAccountsTests {
    /// A bench with devices of the demo account, and the tokens of one user of each hostile account.
    private func bench() throws -> (bench: Bench, hostile: [TokenDigest]) {
        let digests = try (0..<64).map {
            try #require(TokenDigest([UInt8](repeating: UInt8(100 + $0), count: 32)))
        }
        let sessions = try (0..<64).map { number in
            Session(
                account: try #require(AccountID("guest-\(number)")),
                email: try #require(Email("guest\(number)@example.com")), role: .owner, isOperator: true)
        }
        let bench = try Bench.withDevices {
            $0.retention.results = 1_000
            for (digest, session) in zip(digests, sessions) {
                $0.users.append(.init(session: session, passwordHash: "hash"))
                $0.sessions.append(
                    .init(
                        digest: digest, email: session.email,
                        openedAt: WallTime(unixMilliseconds: 1_800_000_000_000)))
            }
        }
        return (bench, digests)
    }

    @Test("hostile accounts that change passwords do not delay the demo account's change")
    func userChanges() throws {
        let (bench, hostile) = try bench()
        let password = try #require(Password("open sesame"))
        var correlations: [UInt64] = []
        for _ in 0..<3 {
            for (number, token) in hostile.enumerated() {
                let email = try #require(Email("guest\(number)@example.com"))
                correlations.append(bench.ask(.changePassword(email, to: password), token: token))
            }
        }
        #expect(correlations.filter { bench.refusal(of: $0) == nil }.count == 1 + Limits.userChanges)
        let demo = try #require(Email("demo@sensibus.local"))
        let own = bench.ask(.changePassword(demo, to: password))
        #expect(bench.refusal(of: own) == nil)
        for ticket in UInt64(1)...2 { bench.step(.passwordHashed(ticket: ticket, hash: "new")) }
        #expect(bench.replies(to: own) == [.passwordChanged(sessions: 0)], "after the one that was hashed")
    }

    private func site(_ number: Int) throws -> ClientRequest.Body {
        let text = String(repeating: "x", count: 7_000)
        return .sites(.add(try SiteProfile(name: "Site \(number)", description: text)))
    }

    private func post(_ title: String, as token: TokenDigest, in bench: Bench) throws -> UInt64 {
        let text = String(repeating: "x", count: 7_000)
        let draft = try PostDraft(requestID: bench.newID(), title: title, body: text, subject: nil)
        return bench.ask(.logbook(.addPost(draft)), token: token)
    }

    @Test("hostile accounts do not affect the demo account's outcomes, posts, sites and toggles")
    func flood() throws {
        let (bench, hostile) = try bench()
        let demo = try #require(Bench.token)
        var toggles: [(id: RequestID, answer: [ClientReply.Body])] = []
        for _ in 0..<50 {
            let toggle = bench.toggle()
            bench.carryOut(try #require(bench.commands.last))
            toggles.append((toggle.id, bench.replies(to: toggle.correlation)))
            bench.effects = []
        }
        for number in 0..<20 { _ = try post("Post \(number)", as: demo, in: bench) }
        bench.ask(try site(0), token: demo)
        let neverSeen = bench.newID()
        for round in 0..<3 {
            for token in hostile {
                for _ in 0..<100 { bench.ask(.cancel(bench.newID(), timeout: nil), token: token) }
                for number in 0..<4 {
                    _ = try post("Spam", as: token, in: bench)
                    bench.ask(try site(4 * round + number), token: token)
                }
                bench.effects = []
            }
            bench.passWithPings(.seconds(61))
            bench.effects = []
        }
        for (id, answer) in toggles {
            #expect(bench.replies(to: bench.ask(.outcome(id))) == answer)
            bench.effects = []
        }
        #expect(bench.refusal(of: bench.ask(.outcome(neverSeen))) == .notFound, "no horizon was raised")
        let posts = bench.ask(.logbook(.posts(PostPull())))
        guard case .logbook(.posts(let chunk))? = bench.replies(to: posts).last?.decoded else {
            Issue.record("no posts")
            return
        }
        #expect(chunk.total == 20)
        let site = bench.ask(.sites(.site(.name("Site 0"))))
        guard case .sites(.site)? = bench.replies(to: site).last?.decoded else {
            Issue.record("the site is missing")
            return
        }
        let toggle = bench.toggle()
        bench.carryOut(try #require(bench.commands.last))
        #expect(bench.outcome(of: toggle.correlation) == .applied(bench.reportedState()))
    }
}
