import Bus
import ControllerSupport
import FleetProtocol
import ProcessSupport
import Testing

@testable import ControllerCore
@testable import controller

@Suite("The password hasher")
struct PasswordHasherTests {
    @Test(
        "the hasher distinguishes right from wrong passwords, on a thread of low priority",
        .timeLimit(.minutes(1)))
    func hashResults() async throws {
        let context = try Context()
        defer { context.terminate() }
        let hasher = try PasswordHasher(context: context)
        defer { hasher.finish() }
        let right = try #require(Password("correct horse"))
        let wrong = try #require(Password("battery staple"))
        let hashing = PasswordHashing(ticket: 1, password: right)
        #expect(await niceValue { hasher.hash(hashing, then: $0) } == ThreadPriority.ofGivingWay)
        let stored = try #require(hasher.drainHashes().first)
        #expect(stored.ticket == 1)
        for (ticket, password, hash, didMatch) in [
            (UInt64(2), right, stored.text, true), (3, wrong, stored.text, false), (4, right, nil, false),
        ] {
            let check = PasswordCheck(ticket: ticket, password: password, storedHash: hash)
            #expect(await niceValue { hasher.check(check, then: $0) } == ThreadPriority.ofGivingWay)
            let hashResult = try #require(hasher.drainResults().first)
            #expect(hashResult.ticket == ticket)
            #expect(hashResult.didMatch == didMatch)
            #expect((hashResult.hash == nil) == (hash != nil))
        }
        let nothing = PasswordCheck(ticket: 5, password: nil, storedHash: nil)
        _ = await niceValue { hasher.check(nothing, then: $0) }
        #expect(hasher.drainResults().map(\.didMatch) == [false])
    }

    /// The nice value of the thread that reports the end.
    private func niceValue(_ start: (@escaping @Sendable () -> Void) -> Void) async -> Int32 {
        await withCheckedContinuation { continuation in
            start { continuation.resume(returning: ThreadPriority.niceValue) }
        }
    }

    @Test("the digester returns the digest of each token, in any order")
    func digester() {
        var digester = TokenDigester()
        let (first, second) = (Token.make(), Token.make())
        for token in [first, first, second, first, second, second] {
            #expect(digester.digest(of: token) == token.digest)
        }
    }
}
