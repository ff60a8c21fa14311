import FleetProtocol
import FleetReplica
import FleetTime
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
    private func settled(_ mirrored: Mirrored) -> LiveFeed {
        var feed = LiveFeed()
        _ = feed.turn(mirrored.replica)
        return feed
    }

    @Test("a feed begins with a heartbeat, and a new listener is told to fetch the list")
    func begins() throws {
        let mirrored = try Mirrored(["Hall"])
        var feed = LiveFeed()
        #expect(kinds(feed.turn(mirrored.replica)) == ["controller", "resync"])
        #expect(feed.turn(mirrored.replica).isEmpty)
        #expect(kinds(feed.beginning(after: nil, mirrored.replica)) == ["beat", "controller", "resync"])
    }

    @Test("a missing controller is reported after a failed connection, not during the first attempt")
    func firstConnection() {
        var replica = Replica(random: SeededGenerator(seed: 1))
        var feed = LiveFeed()
        #expect(!feed.hasNews(of: replica))
        #expect(feed.turn(replica).isEmpty)
        #expect(kinds(feed.beginning(after: nil, replica)) == ["beat", "resync"])
        var effects: [Replica.Effect] = []
        replica.step(.connection(.failed("refused")), at: Mirrored.start, into: &effects)
        let away = "event: controller\ndata: {\"connected\":false}\n\n"
        #expect(feed.hasNews(of: replica))
        #expect(text(feed.turn(replica)) == away)
        replica.step(.connection(.connecting), at: Mirrored.start, into: &effects)
        #expect(feed.turn(replica).isEmpty)
        #expect(text(feed.beginning(after: nil, replica)).contains(away))
    }

    @Test("a device's changes are sent once per turn, with the position in the stream")
    func once() throws {
        var mirrored = try Mirrored(["Hall", "Kitchen"])
        var feed = settled(mirrored)
        for version in UInt64(2)...5 {
            feed.note(
                mirrored.hear(
                    .reported(
                        Mirrored.device(1), Mirrored.state(on: version % 2 == 1, version: version))))
        }
        let told = text(feed.turn(mirrored.replica))
        #expect(told.hasPrefix("id: 7-14\nevent: devices\ndata: {\"devices\":[{"))
        #expect(told.hasSuffix("}]}\n\n"))
        #expect(told.contains("\"name\":\"Kitchen\"") && told.contains("\"version\":5"))
        #expect(!told.contains("Hall"))
        #expect(feed.turn(mirrored.replica).isEmpty)
    }

    @Test("a feed has news after a change and none after its turn")
    func news() throws {
        var mirrored = try Mirrored(["Hall"])
        var feed = LiveFeed()
        #expect(feed.hasNews(of: mirrored.replica))
        _ = feed.turn(mirrored.replica)
        #expect(!feed.hasNews(of: mirrored.replica))
        feed.note(mirrored.hear(.beat))
        #expect(!feed.hasNews(of: mirrored.replica))
        feed.note(mirrored.hear(.reported(Mirrored.device(0), Mirrored.state(on: true, version: 2))))
        #expect(feed.hasNews(of: mirrored.replica))
        _ = feed.turn(mirrored.replica)
        #expect(!feed.hasNews(of: mirrored.replica))
    }

    @Test("a listener that reconnects continues at its position, except in another epoch")
    func resumes() throws {
        var mirrored = try Mirrored(["Hall", "Kitchen"])
        var feed = settled(mirrored)
        let was = mirrored.position
        feed.note(mirrored.hear(.reported(Mirrored.device(0), Mirrored.state(on: true, version: 2))))
        let first = feed.turn(mirrored.replica)
        let between = mirrored.position
        feed.note(mirrored.hear(.reported(Mirrored.device(1), Mirrored.state(on: true, version: 2))))
        let second = feed.turn(mirrored.replica)
        func beginning(_ position: StreamPosition) -> String {
            text(feed.beginning(after: position, mirrored.replica))
        }
        #expect(beginning(was).hasSuffix(text(first) + text(second)))
        #expect(beginning(between).hasSuffix(text(second)) && !beginning(between).contains(text(first)))
        #expect(kinds(feed.beginning(after: mirrored.position, mirrored.replica)) == ["beat", "controller"])
        let other = StreamPosition(epoch: Epoch(6), sequence: was.sequence)
        #expect(beginning(other).contains("event: resync"))
    }

    @Test("after a node's change or a snapshot, listeners fetch everything again")
    func everything() throws {
        var mirrored = try Mirrored(["Hall"])
        var feed = settled(mirrored)
        let node = SnapshotChunk.Node(
            index: NodeIndex(1), name: try #require(NodeName("node-1")),
            presence: Presence(.offline(.nodeLost), since: Mirrored.start.wall))
        feed.note(mirrored.hear(.node(node, devices: 1)))
        #expect(kinds(feed.turn(mirrored.replica)) == ["resync"])
        feed.noteSnapshot()
        #expect(kinds(feed.turn(mirrored.replica)) == ["resync"])
    }

    @Test("the feed sends ends of requests, removed devices, and the loss of the controller")
    func others() throws {
        var mirrored = try Mirrored(["Hall", "Kitchen"])
        var feed = settled(mirrored)
        feed.note(
            mirrored.hear(.outcome(try Mirrored.report(.applied(Mirrored.state(on: true, version: 9))))))
        feed.note(mirrored.hear(.removed(Mirrored.device(1))))
        let told = feed.turn(mirrored.replica)
        #expect(kinds(told) == ["outcome", "gone", "devices"])
        #expect(text(told).contains("\"kind\":\"applied\",\"words\":\"Turned on\""))
        #expect(text(told).contains("\"incarnation\":\"000000000000abcd\",\"version\":9}"))
        #expect(text(told).contains("{\"ids\":[\"\(Mirrored.device(1))\"]}"))
        mirrored.step(.connection(.failed("gone")))
        #expect(text(feed.turn(mirrored.replica)) == "event: controller\ndata: {\"connected\":false}\n\n")
    }

    @Test("the feed sends up to four thousand ends of requests a second, and of more the last")
    func manyOutcomes() throws {
        var mirrored = try Mirrored(["Hall"])
        var feed = settled(mirrored)
        func note(_ outcome: Outcome, _ count: Int) throws {
            for _ in 0..<count { feed.note(mirrored.hear(.outcome(try Mirrored.report(outcome)))) }
        }
        try note(.expired, 24)
        try note(.applied(Mirrored.state(on: true, version: 2)), 1_000)
        let all = text(feed.turn(mirrored.replica))
        #expect(all.split(separator: "\"kind\":\"expired\"").count == 25)
        #expect(all.split(separator: "\"kind\":\"applied\"").count == 1_001)
        try note(.expired, 24)
        try note(.applied(Mirrored.state(on: true, version: 2)), LiveFeed.outcomesAtMost)
        let last = text(feed.turn(mirrored.replica))
        #expect(!last.contains("expired"))
        #expect(last.split(separator: "\"kind\":\"applied\"").count == LiveFeed.outcomesAtMost + 1)
    }

    @Test("a hostile name is sent as data")
    func hostile() throws {
        var mirrored = try Mirrored(["a\n\nevent: x\ndata: y\u{202e}<img src=x onerror=alert(1)>"])
        var feed = settled(mirrored)
        feed.note(mirrored.hear(.reported(Mirrored.device(0), Mirrored.state(on: true, version: 2))))
        let told = feed.turn(mirrored.replica)
        #expect(kinds(told) == ["devices"])
        #expect(text(told).contains(#"a\n\nevent: x\ndata: y\u202e<img"#))
    }
}

@Suite("ChangedDevices")
struct ChangedDevicesTests {
    @Test("changes beyond the bound count as a change of everything")
    func bounded() {
        var changed = ChangedDevices(limit: 2)
        for number in 0..<2 { changed.note(Mirrored.device(number)) }
        #expect(changed.drain().changed == .devices([Mirrored.device(0), Mirrored.device(1)]))
        for number in 0..<3 { changed.note(Mirrored.device(number)) }
        changed.note(.removed(Mirrored.device(0)))
        let taken = changed.drain()
        #expect(taken.changed == .everything && taken.gone.isEmpty)
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
