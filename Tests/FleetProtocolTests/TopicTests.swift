import FleetProtocol
import Testing

@Suite("Stream topics")
struct TopicTests {
    @Test("a stream's topic begins with its account's topic, and is never a prefix of another's")
    func prefixFree() throws {
        let accounts = try ["a", "a-1", "b"].map { try #require(AccountID($0)) }
        let topics = accounts.flatMap { account in
            (UInt64(1)...120).map { StreamTopic(account: account, number: $0).bytes }
        }
        for topic in topics { #expect(topics.filter { $0.starts(with: topic) } == [topic]) }
        #expect(topics[0].starts(with: Topic.stream(of: accounts[0])))
        #expect(!topics[120].starts(with: Topic.stream(of: accounts[0])))
    }

    @Test("a stream's topic is within the topic limit")
    func longest() throws {
        let account = try #require(AccountID(String(repeating: "a", count: 32)))
        #expect(StreamTopic(account: account, number: .max).bytes.count <= Limits.topicBytes)
    }
}
