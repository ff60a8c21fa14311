import Bus
import Testing

@Suite("Hazard: a subscriber misses messages right after it connects")
struct SlowJoinerTests {
    @Test("messages published after a subscription has arrived are received, and earlier ones are not")
    func snapshotOnSubscription() throws {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
        let xpub = try Socket(.xpub, context: Fixture.context)
        let sub = try Fixture.socket(.sub, connectedTo: endpoint)
        try sub.subscribe(prefix: "state/")
        // Bound after this, so that the subscription cannot have arrived before it.
        #expect(try xpub.send(topic: Array("state/1".utf8), payload: [1]) == .sent)
        try xpub.bind(endpoint)
        #expect(try xpub.next(using: sub) == [[1] + Array("state/".utf8)])
        #expect(try xpub.send(topic: Array("state/1".utf8), payload: [2]) == .sent)
        #expect(try sub.next() == [Array("state/1".utf8), [2]])
    }

    @Test("a second subscriber to a topic is reported only by a prefix of its own")
    func secondSubscriber() throws {
        let (xpub, endpoint) = try Fixture.bound(.xpub)
        let first = try Fixture.socket(.sub, connectedTo: endpoint)
        try first.subscribe(prefix: "state/")
        #expect(try xpub.next(using: first) == [[1] + Array("state/".utf8)])
        let second = try Fixture.socket(.sub, connectedTo: endpoint)
        try second.subscribe(prefix: "state/")
        try second.subscribe(prefix: "snapshot/2")
        #expect(try xpub.next(using: second) == [[1] + Array("snapshot/2".utf8)])
        #expect(try xpub.send(topic: Array("state/1".utf8), payload: [1]) == .sent)
        #expect(try second.next() == [Array("state/1".utf8), [1]])
    }
}
