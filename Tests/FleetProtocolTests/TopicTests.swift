import FleetProtocol
import Testing

@Suite("A topic of the stream")
struct TopicTests {
    @Test(
        "is not asked for by nonsense",
        arguments: [
            "", "\u{1}", "\u{2}u/demo/", "\u{1}u/demo", "\u{1}t/demo/", "\u{1}u//", "\u{1}u/De mo/",
            "u/demo/",
        ])
    func noSubscription(text: String) {
        #expect(Topic.Subscription(Array(text.utf8)) == nil)
    }

    @Test("is subscribed to and left by one byte before it", arguments: [(UInt8(1), true), (0, false)])
    func subscription(first: UInt8, begins: Bool) throws {
        let account = try #require(AccountID("demo"))
        let subscription = try #require(Topic.Subscription([first] + Topic.stream(of: account)))
        #expect(subscription.account == account)
        #expect(subscription.begins == begins)
    }
}
