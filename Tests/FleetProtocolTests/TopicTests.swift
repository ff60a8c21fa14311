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
        #expect(!Topic.isSubscription(Array(text.utf8)))
    }

    @Test("is subscribed to and left by one byte before it", arguments: [UInt8(0), 1])
    func subscription(first: UInt8) throws {
        let account = try #require(AccountID("demo"))
        #expect(Topic.isSubscription([first] + Topic.stream(of: account)))
    }
}
