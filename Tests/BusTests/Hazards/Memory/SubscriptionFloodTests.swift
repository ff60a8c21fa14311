import Bus
import Testing

/// Runs in its own process, so that its memory can be measured.
@Suite("Hazard: no mark bounds a subscriber's subscriptions", .timeLimit(.minutes(1)))
struct SubscriptionFloodTests {
    @Test("20,000 subscriptions take memory, and free it when their subscriber closes")
    func flood() async {
        await #expect(processExitsWith: .success) {
            let (xpub, endpoint) = try Fixture.bound(.xpub)
            let before = try ProcessUse.residentBytes()
            try Self.flood(xpub, at: endpoint)
            let afterOne = try ProcessUse.residentBytes()
            #expect(afterOne - before > 20 << 20)
            for _ in 0..<3 { try Self.flood(xpub, at: endpoint) }
            #expect(try ProcessUse.residentBytes() - afterOne < (afterOne - before) / 2)
        }
    }

    private static let subscriptions = 20_000

    /// Subscribes to many prefixes, and closes.
    private static func flood(_ xpub: Socket, at endpoint: Endpoint) throws {
        let sub = try Fixture.socket(.sub, connectedTo: endpoint)
        let tail = String(repeating: "t", count: 50)
        for number in 0..<subscriptions { try sub.subscribe(prefix: "\(number)/\(tail)") }
        for _ in 0..<subscriptions where try xpub.next(using: sub)?[0].first != 1 { throw NothingReceived() }
        sub.close()
        for _ in 0..<subscriptions where try xpub.next()?[0].first != 0 { throw NothingReceived() }
    }
}
