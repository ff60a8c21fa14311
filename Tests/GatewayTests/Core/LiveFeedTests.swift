import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing

@testable import GatewayCore

@Suite("The live feed")
struct LiveFeedTests {
    /// The kinds of the messages, in order.
    private func kinds(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("event: ") }
            .map { String($0.dropFirst(7)) }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// A feed without unsent messages.
    private func settled(_ driver: ReplicaDriver) -> LiveFeed {
        var feed = LiveFeed()
        _ = feed.turn(driver.replica)
        return feed
    }

    @Test("a feed begins with a heartbeat, and a new listener is told to fetch the list")
    func begins() throws {
        let driver = try ReplicaDriver.whole(names: ["Hall"])
        var feed = LiveFeed()
        #expect(kinds(feed.turn(driver.replica)) == ["controller", "resync"])
        #expect(feed.turn(driver.replica).isEmpty)
        #expect(kinds(feed.beginning(after: nil, driver.replica)) == ["beat", "controller", "resync"])
    }

    @Test("a missing controller is reported after a failed connection, not during the first attempt")
    func firstConnection() {
        var replica = Replica(random: SeededGenerator(seed: 1))
        var feed = LiveFeed()
        #expect(!feed.hasChanges(of: replica))
        #expect(feed.turn(replica).isEmpty)
        #expect(kinds(feed.beginning(after: nil, replica)) == ["beat", "resync"])
        var effects: [Replica.Effect] = []
        replica.step(.connection(.failed("refused")), at: Fixture.start, into: &effects)
        let disconnected = "event: controller\ndata: {\"connected\":false}\n\n"
        #expect(feed.hasChanges(of: replica))
        #expect(text(feed.turn(replica)) == disconnected)
        replica.step(.connection(.connecting), at: Fixture.start, into: &effects)
        #expect(feed.turn(replica).isEmpty)
        #expect(text(feed.beginning(after: nil, replica)).contains(disconnected))
    }

    @Test("a device's changes are sent once per turn, with the position in the stream")
    func once() throws {
        var driver = try ReplicaDriver.whole(names: ["Hall", "Kitchen"])
        var feed = settled(driver)
        for version in UInt64(2)...5 {
            feed.record(
                driver.receive(
                    .reported(Fixture.device(1), Fixture.state(on: version % 2 == 1, version: version))))
        }
        let sent = text(feed.turn(driver.replica))
        #expect(sent.hasPrefix("id: 7-14\nevent: devices\ndata: {\"devices\":[{"))
        #expect(sent.hasSuffix("}]}\n\n"))
        #expect(sent.contains("\"name\":\"Kitchen\"") && sent.contains("\"version\":5"))
        #expect(!sent.contains("Hall"))
        #expect(feed.turn(driver.replica).isEmpty)
    }

    @Test("a feed has news after a change and none after its turn")
    func changes() throws {
        var driver = try ReplicaDriver.whole(names: ["Hall"])
        var feed = LiveFeed()
        #expect(feed.hasChanges(of: driver.replica))
        _ = feed.turn(driver.replica)
        #expect(!feed.hasChanges(of: driver.replica))
        feed.record(driver.receive(.beat))
        #expect(!feed.hasChanges(of: driver.replica))
        feed.record(driver.receive(.reported(Fixture.device(0), Fixture.state(on: true, version: 2))))
        #expect(feed.hasChanges(of: driver.replica))
        _ = feed.turn(driver.replica)
        #expect(!feed.hasChanges(of: driver.replica))
    }

    @Test("a listener that reconnects continues at its position, except in another epoch")
    func resumes() throws {
        var driver = try ReplicaDriver.whole(names: ["Hall", "Kitchen"])
        var feed = settled(driver)
        let was = driver.replica.position
        feed.record(driver.receive(.reported(Fixture.device(0), Fixture.state(on: true, version: 2))))
        let first = feed.turn(driver.replica)
        let between = driver.replica.position
        feed.record(driver.receive(.reported(Fixture.device(1), Fixture.state(on: true, version: 2))))
        let second = feed.turn(driver.replica)
        func beginning(_ position: StreamPosition) -> String {
            text(feed.beginning(after: position, driver.replica))
        }
        #expect(beginning(was).hasSuffix(text(first) + text(second)))
        #expect(beginning(between).hasSuffix(text(second)) && !beginning(between).contains(text(first)))
        #expect(
            kinds(feed.beginning(after: driver.replica.position, driver.replica)) == ["beat", "controller"])
        let other = StreamPosition(epoch: Epoch(6), sequence: was.sequence)
        #expect(beginning(other).contains("event: resync"))
    }

    @Test("after a node's change or a snapshot, listeners fetch everything again")
    func everything() throws {
        var driver = try ReplicaDriver.whole(names: ["Hall"])
        var feed = settled(driver)
        let node = SnapshotChunk.Node(
            index: NodeIndex(1), name: try #require(NodeName("node-1")),
            presence: Presence(.offline(.nodeLost), since: Fixture.start.wall))
        feed.record(driver.receive(.node(node, devices: 1)))
        #expect(kinds(feed.turn(driver.replica)) == ["resync"])
        feed.recordSnapshot()
        #expect(kinds(feed.turn(driver.replica)) == ["resync"])
    }

    @Test("the feed sends ends of requests, removed devices, and the loss of the controller")
    func others() throws {
        var driver = try ReplicaDriver.whole(names: ["Hall", "Kitchen"])
        var feed = settled(driver)
        feed.record(
            driver.receive(.outcome(try Fixture.report(.applied(Fixture.state(on: true, version: 9))))))
        feed.record(driver.receive(.removed(Fixture.device(1))))
        let sent = feed.turn(driver.replica)
        #expect(kinds(sent) == ["outcome", "gone", "devices"])
        #expect(text(sent).contains("\"kind\":\"applied\",\"words\":\"Turned on\""))
        #expect(text(sent).contains("\"incarnation\":\"000000000000abcd\",\"version\":9}"))
        #expect(text(sent).contains("{\"ids\":[\"\(Fixture.device(1))\"]}"))
        driver.step(.connection(.failed("gone")))
        #expect(text(feed.turn(driver.replica)) == "event: controller\ndata: {\"connected\":false}\n\n")
    }

    @Test("the feed sends up to four thousand ends of requests a second, and of more the last")
    func manyOutcomes() throws {
        var driver = try ReplicaDriver.whole(names: ["Hall"])
        var feed = settled(driver)
        func record(_ outcome: Outcome, _ count: Int) throws {
            for _ in 0..<count { feed.record(driver.receive(.outcome(try Fixture.report(outcome)))) }
        }
        try record(.expired, 24)
        try record(.applied(Fixture.state(on: true, version: 2)), 1_000)
        let all = text(feed.turn(driver.replica))
        #expect(all.split(separator: "\"kind\":\"expired\"").count == 25)
        #expect(all.split(separator: "\"kind\":\"applied\"").count == 1_001)
        try record(.expired, 24)
        try record(.applied(Fixture.state(on: true, version: 2)), LiveFeed.outcomesAtMost)
        let last = text(feed.turn(driver.replica))
        #expect(!last.contains("expired"))
        #expect(last.split(separator: "\"kind\":\"applied\"").count == LiveFeed.outcomesAtMost + 1)
    }

    @Test("a hostile name is sent as data")
    func hostile() throws {
        var driver = try ReplicaDriver.whole(names: [
            "a\n\nevent: x\ndata: y\u{202e}<img src=x onerror=alert(1)>"
        ])
        var feed = settled(driver)
        feed.record(driver.receive(.reported(Fixture.device(0), Fixture.state(on: true, version: 2))))
        let sent = feed.turn(driver.replica)
        #expect(kinds(sent) == ["devices"])
        #expect(text(sent).contains(#"a\n\nevent: x\ndata: y\u202e<img"#))
    }
}

@Suite("ChangedDevices")
struct ChangedDevicesTests {
    @Test("changes beyond the bound count as a change of everything")
    func bounded() {
        var changed = ChangedDevices(limit: 2)
        for number in 0..<2 { changed.record(Fixture.device(number)) }
        #expect(changed.drain().changed == .devices([Fixture.device(0), Fixture.device(1)]))
        for number in 0..<3 { changed.record(Fixture.device(number)) }
        changed.record(.removed(Fixture.device(0)))
        let drained = changed.drain()
        #expect(drained.changed == .everything && drained.removed.isEmpty)
        #expect(changed.isEmpty)
    }
}

@Suite("LiveTail")
struct LiveTailTests {
    private func position(_ sequence: UInt64) -> StreamPosition {
        StreamPosition(epoch: Epoch(1), sequence: StreamSequence(sequence))
    }

    @Test("the tail has a bounded number of bytes, and reports when it does not reach back")
    func bounded() {
        var tail = LiveTail(bytesAtMost: 10)
        tail.append([], upTo: position(0), isContinuous: false)
        for sequence in UInt64(1)...3 {
            tail.append(
                [UInt8](repeating: UInt8(sequence), count: 4), upTo: position(sequence), isContinuous: true)
        }
        #expect(tail.batches(after: position(0)) == nil)
        #expect(tail.batches(after: position(1)) == [[2, 2, 2, 2], [3, 3, 3, 3]])
        #expect(tail.batches(after: position(3)) == [])
        #expect(tail.batches(after: position(9)) == nil)
    }
}

@Suite("Event IDs")
struct ServerSentEventTests {
    @Test(
        "an event ID is a stream position, and other text is none",
        arguments: ["", "7", "7-", "-1", "7-8-9", "a-b", "7 -8"])
    func ids(bad: String) {
        let position = StreamPosition(epoch: Epoch(7), sequence: StreamSequence(8))
        #expect(ServerSentEvent.position(of: ServerSentEvent.text(of: position)) == position)
        #expect(ServerSentEvent.position(of: bad) == nil)
    }
}
