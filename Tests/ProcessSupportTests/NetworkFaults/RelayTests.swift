import TestSupport
import Testing

/// The relay between two real sockets; libzmq must survive whatever it does.
@Suite("Relay between a DEALER and a ROUTER", .serialized, .timeLimit(.minutes(2)))
struct RelayTests {
    private static let recoveredWithin = Duration.seconds(5)

    /// Runs a test with a relay between a pair, over which ten messages have passed.
    private func withRelay(
        isEncrypted: Bool = false, _ body: (EchoPair, FaultProgram) throws -> Void
    ) async throws {
        try await EchoPair.with(isEncrypted: isEncrypted) { pair in
            let arguments = ["relay", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:\(pair.port)"]
            try await FaultProgram.with(arguments) { relay in
                try pair.connect(to: try #require(relay.ready.first))
                try pair.send(0..<10)
                #expect(try pair.replies(10) == Array(0..<10))
                try body(pair, relay)
            }
        }
    }

    /// Expects that a relay makes no new connection for a hundred messages, which all come back.
    private func expectSurvival(
        _ command: String, bytes: Int = 10, _ check: ([UInt8], [String: Int]) throws -> Void
    ) async throws {
        try await withRelay { pair, relay in
            try relay.perform(command)
            try pair.send(10..<110, bytes: bytes)
            let replies = try pair.replies(100)
            let counts = try relay.counts()
            #expect(counts["connected"] == 1, "\(command): \(counts)")
            try check(replies, counts)
        }
    }

    @Test("pieces of any size arrive whole", arguments: ["split 1", "split 100", "pass"])
    func pieces(command: String) async throws {
        try await expectSurvival(command, bytes: 300) { replies, _ in #expect(replies == Array(10..<110)) }
    }

    @Test("a stalled connection stays, and its messages come later")
    func stall() async throws {
        try await withRelay { pair, relay in
            try relay.perform("stall 400")
            try pair.send(10..<20)
            let clock = ContinuousClock()
            let start = clock.now
            #expect(try pair.replies(10) == Array(10..<20))
            #expect(clock.now - start >= .milliseconds(300))
            #expect(try relay.counts()["connected"] == 1)
        }
    }

    @Test("a slow connection passes everything, at its rate")
    func slow() async throws {
        try await withRelay { pair, relay in
            try relay.perform("slow 10000 up")
            try pair.send(10..<20, bytes: 1_000)
            let clock = ContinuousClock()
            let start = clock.now
            #expect(try pair.replies(10) == Array(10..<20))
            #expect(clock.now - start >= .milliseconds(900))
        }
    }

    @Test("duplicated messages arrive twice without security")
    func duplicate() async throws {
        try await withRelay { pair, relay in
            try relay.perform("duplicate 1 up")
            try pair.send(10..<60)
            #expect(try pair.replies(100) == (10..<60).flatMap { [$0, $0] })
            #expect(try relay.counts()["duplicated"] == 50)
        }
    }

    @Test("reordered messages all arrive, in another order")
    func reorder() async throws {
        try await expectSurvival("reorder 0.3 down") { replies, counts in
            #expect(replies != Array(10..<110))
            #expect(replies.sorted() == Array(10..<110))
            #expect(counts["reordered", default: 0] > 10)
        }
    }

    @Test(
        "a client connects again after its connection was broken", arguments: [false, true],
        [
            ("reset", "reset"), ("truncate up", "truncated"), ("truncate down", "truncated"),
            ("half-open up", "halfOpened"), ("half-open down", "halfOpened"),
        ])
    func broken(isEncrypted: Bool, fault: (command: String, count: String)) async throws {
        try await withRelay(isEncrypted: isEncrypted) { pair, relay in
            try relay.perform(fault.command)
            try pair.send(10..<20)
            let took = try #require(try pair.recovery(), "\(fault.command): no message comes back")
            print("measured: \(fault.command): a message came back after \(took)")
            #expect(took <= Self.recoveredWithin.slowed)
            let counts = try relay.counts()
            #expect(counts["connected"] == 2, "\(counts)")
            #expect(counts[fault.count, default: 0] > 0, "\(counts)")
        }
    }

    @Test(
        "with CURVE no message arrives twice, and a client whose server seems to repeat one is lost for good",
        arguments: ["duplicate 1 up", "reorder 1 up", "duplicate 1 down", "reorder 1 down"])
    func forged(command: String) async throws {
        try await withRelay(isEncrypted: true) { pair, relay in
            try relay.perform(command)
            try pair.send(10..<20)
            let replies = try pair.replies(11, within: .milliseconds(500))
            try relay.perform("pass")
            let took = try pair.recovery(within: .seconds(3))
            #expect(Set(replies).count == replies.count)
            // CURVE does not notice an absent frame, so the first one that was overtaken tears a message.
            #expect(pair.torn == (command.hasPrefix("reorder") ? 1 : 0))
            #expect((took == nil) == command.hasSuffix("down"))
        }
    }

    @Test("connections that are made during a stall are stalled too, until its end")
    func longStall() async throws {
        try await withRelay { pair, relay in
            try relay.perform("stall 30000")
            #expect(try pair.recovery(within: .seconds(3)) == nil)
            try relay.perform("pass")
            #expect(try #require(try pair.recovery()) <= Self.recoveredWithin.slowed)
        }
    }

    @Test("without a server no connection stays open")
    func absent() async throws {
        try await EchoPair.with(isEncrypted: false) { pair in
            try await FaultProgram.with(["relay", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:9"]) {
                relay in
                try pair.connect(to: try #require(relay.ready.first))
                #expect(try pair.recovery(within: .milliseconds(500)) == nil)
                #expect(try relay.counts()["open"] == 0)
            }
        }
    }
}
