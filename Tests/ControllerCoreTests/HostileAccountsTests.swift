import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

@Suite("Sixty-four hostile accounts without devices")
struct HostileAccountsTests {
    private static let digests = (0..<64).map { TokenDigest.of(UInt8(100 + $0)) }
    private static let emails = (0..<64).map { valid(Email("guest\($0)@example.com")) }

    private let bench = Bench.withDevices {
        $0.retention.results = 1_000
        for (number, digest) in Self.digests.enumerated() {
            let account = valid(AccountID("guest-\(number)"))
            $0.add(Session(Self.emails[number], of: account, .owner, isOperator: true), digest: digest)
        }
    }

    @Test("hostile accounts that change passwords do not delay the demo account's change")
    func userChanges() {
        let correlations = (0..<3 * 64).map { number in
            bench.ask(
                .changePassword(Self.emails[number % 64], to: .secret), token: Self.digests[number % 64])
        }
        #expect(correlations.filter { bench.refusal(of: $0) == nil }.count == 1 + Limits.userChanges)
        let own = bench.ask(.changePassword(.demo, to: .secret))
        #expect(bench.refusal(of: own) == nil)
        for ticket in UInt64(1)...2 { bench.step(.passwordHashed(ticket: ticket, hash: "new")) }
        #expect(bench.replies(to: own) == [.passwordChanged(sessions: 0)], "after the one that was hashed")
    }

    private static let longText = String(repeating: "x", count: 7_000)

    private func site(_ number: Int) throws -> ClientRequest.Body {
        .sites(.add(try SiteProfile(name: "Site \(number)", description: Self.longText)))
    }

    private func post(_ title: String) throws -> ClientRequest.Body {
        .logbook(.addPost(try bench.draft(title, body: Self.longText)))
    }

    @Test("hostile accounts do not affect the demo account's outcomes, posts, sites and toggles")
    func flood() throws {
        var toggles: [(id: RequestID, answer: [ClientReply.Body])] = []
        for _ in 0..<50 {
            let toggle = bench.toggle()
            bench.carryOutNewest()
            toggles.append((toggle.id, bench.replies(to: toggle.correlation)))
            bench.effects = []
        }
        for number in 0..<20 { bench.ask(try post("Post \(number)")) }
        bench.ask(try site(0))
        let neverSeen = bench.newID()
        for round in 0..<3 {
            for token in Self.digests {
                for _ in 0..<100 { bench.ask(.cancel(bench.newID(), timeout: nil), token: token) }
                for number in 0..<4 {
                    bench.ask(try post("Spam"), token: token)
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
        #expect(bench.refusal(to: .outcome(neverSeen)) == .notFound, "no horizon was raised")
        #expect(try bench.posts().total == 20)
        try bench.answer(to: SiteRequest.site(.name("Site 0")))
        bench.expectToggleIsApplied()
    }
}
