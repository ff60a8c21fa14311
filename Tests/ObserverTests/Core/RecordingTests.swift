import FleetProtocol
import FleetReplica
import Foundation
import ReplicaTestSupport
import Testing
import UserText

@testable import observer

@Suite("Recordings")
struct RecordingTests {
    /// The number of updates from the environment's `SENSIBUS_REPLAY`.
    private static let updates =
        ProcessInfo.processInfo.environment["SENSIBUS_REPLAY"].flatMap(Int.init) ?? 20_000

    @Test("a replay prints the observer's lines, and ends with the observer's screen", arguments: 1...20)
    func same(seed: UInt64) throws {
        var recording = RecordedRun(seed: seed, fileLimit: 16 << 20)
        try recording.run(turns: 400)
        let replay = try Replayed(recording.files)
        #expect(Replayed.difference(replay.lines, recording.lines) == nil, "seed \(seed)")
        #expect(Replayed.difference(replay.screen, recording.screen()) == nil, "seed \(seed)")
        #expect(recording.lines.count > 20)
    }

    @Test("a full file is continued in another, and each file can be replayed alone")
    func rotated() throws {
        var recording = RecordedRun(seed: 3, fileLimit: 1 << 20)
        try recording.run(turns: 200)
        recording.flood(updates: 45_000)
        #expect(recording.files.count > 3)
        #expect(recording.files.allSatisfy { $0.count <= 1 << 20 })
        let all = try Replayed(recording.files)
        #expect(Replayed.difference(all.lines, recording.lines) == nil)
        #expect(Replayed.difference(all.screen, recording.screen()) == nil)
        for index in recording.files.indices.dropFirst() {
            let alone = try Replayed(Array(recording.files[index...]))
            #expect(Replayed.difference(alone.screen, recording.screen()) == nil, "from file \(index)")
            let end = recording.lines.suffix(alone.lines.count)
            #expect(Replayed.difference(alone.lines, Array(end)) == nil, "from file \(index)")
        }
    }

    @Test("the state at a position is the same from any previous position")
    func sought() throws {
        var recording = RecordedRun(seed: 5, fileLimit: 2 << 20)
        try recording.run(turns: 100)
        recording.flood(updates: 40_000)
        var player = try Replayed.player(of: recording.files)
        let length = player.timeline.length
        for part in [9, 2, 5, 10, 0, 7] {
            let time = length * part / 10
            try player.seek(to: time)
            var other = try Replayed.player(of: recording.files)
            _ = try other.play(to: time) { _, _, _ in }
            #expect(player.position == other.position)
            let difference = Replayed.difference(Replayed.screen(of: player), Replayed.screen(of: other))
            #expect(difference == nil, "\(part) tenths")
        }
    }

    @Test("a recording that ends within a block is replayed up to it, and the rest is counted")
    func torn() throws {
        var recording = RecordedRun(seed: 2, fileLimit: 16 << 20)
        try recording.run(turns: 200)
        let whole = try #require(recording.files.first)
        let ends = try Replayed.scan(whole)
        for cut in stride(from: 1, to: 2_000, by: 97) {
            let index = try Replayed.scan(Array(whole.dropLast(cut)))
            #expect(index.endByte + index.tornBytes == whole.count - cut)
            #expect(index.endByte < ends.endByte)
            #expect(try Replayed([Array(whole.dropLast(cut))]).lines.count <= recording.lines.count)
        }
    }

    @Test("a recording that was changed in its middle is refused with the place")
    func damaged() throws {
        var recording = RecordedRun(seed: 2, fileLimit: 16 << 20)
        try recording.run(turns: 200)
        let whole = try #require(recording.files.first)
        for place in stride(from: 16, to: whole.count * 9 / 10, by: whole.count / 40) {
            var bytes = whole
            bytes[place] ^= 0x10
            let damage = try #require(throws: RecordingDamage.self) { try Replayed.scan(bytes) }
            guard case .damaged(let byte) = damage else {
                Issue.record("byte \(place): \(damage)")
                continue
            }
            #expect(byte <= place)
        }
    }

    @Test("a file with another beginning, or of a newer format, is refused")
    func foreign() throws {
        #expect(throws: RecordingDamage.notRecording) { try Replayed.scan([]) }
        #expect(throws: RecordingDamage.notRecording) { try Replayed.scan(Array("#!/bin/sh\necho\n".utf8)) }
        #expect(throws: RecordingDamage.notRecording) { try Replayed.scan(Array("sensirec".utf8)) }
    }

    @Test("a replay of many updates ends with the observer's screen", arguments: [updates])
    func many(updates: Int) throws {
        var recording = RecordedRun(seed: 11, fileLimit: 1 << 30)
        try recording.run(turns: 20)
        recording.flood(updates: updates)
        let replay = try Replayed(recording.files)
        #expect(Replayed.difference(replay.screen, recording.screen()) == nil)
        #expect(recording.recorder.updateCount >= UInt64(updates))
    }
}

@Suite("Looking back")
struct LookBackTests {
    private static let now = Fixture.start.advanced(by: .seconds(600))

    private func past(_ number: Int, secondsAgo: Int64) throws -> HistoryChunk.PastOutcome {
        let digits = String(number)
        let id = "0190a6e8-7c5b-7d2e-9a41-" + String(repeating: "0", count: 12 - digits.count) + digits
        let report = OutcomeReport(
            requestID: try #require(RequestID(id)), device: Fixture.device(1), outcome: .cancelled,
            user: try #require(Email("demo@sensibus.local")), versionBefore: Version(1), attempts: 1,
            timing: OutcomeReport.Timing(totalUs: 10))
        return HistoryChunk.PastOutcome(
            endedAt: Self.now.wall.advanced(by: .seconds(-secondsAgo)), report: report)
    }

    private func chunk(
        _ outcomes: [HistoryChunk.PastOutcome], completeSince: WallTime? = nil, isLast: Bool = true
    ) -> HistoryChunk {
        HistoryChunk(nextCursor: 1, isLast: isLast, completeSince: completeSince, outcomes: outcomes)
    }

    /// The events as text.
    private func text(_ look: LookBack) throws -> [String] {
        let replica = try ReplicaDriver.whole().replica
        return look.events(for: replica, at: Self.now).map { EventLine($0).text }
    }

    @Test("a look back shows outcomes in order with names, after a line with their extent")
    func order() throws {
        var look = LookBack(back: .seconds(600))
        look.append(chunk([try past(1, secondsAgo: 10), try past(2, secondsAgo: 30)], isLast: false))
        look.append(chunk([try past(3, secondsAgo: 20)]))
        let events = look.events(for: try ReplicaDriver.whole().replica, at: Self.now)
        #expect(
            events.dropFirst().map { $0.at.duration(to: Self.now.wall) } == [
                .seconds(30), .seconds(20), .seconds(10),
            ])
        #expect(
            try text(look).first
                == "in the last 10m 3 requests ended; "
                + "presence changes and hand remotes are not in the history"
        )
        #expect(try text(look).last == "Bedroom 1: cancelled by demo@sensibus.local, nothing changed")
    }

    @Test("a look back says from when on outcomes may be missing, if that is within it")
    func gap() throws {
        var look = LookBack(back: .seconds(600))
        look.append(chunk([], completeSince: Self.now.wall.advanced(by: .seconds(-100))))
        #expect(try text(look).first?.contains("requests made before 2026-01-31T12:08:21.234Z") == true)
        var longAgo = LookBack(back: .seconds(50))
        longAgo.append(chunk([], completeSince: Self.now.wall.advanced(by: .seconds(-100))))
        #expect(try text(longAgo).first?.contains("not known") == false)
    }

    @Test("a look back shows each outcome once")
    func once() throws {
        var look = LookBack(back: .seconds(600))
        let seen = try past(1, secondsAgo: 1)
        let outcome = FleetEvent.Outcome(report: seen.report, device: nil, before: nil)
        look.exclude(ObserverEvent(at: Self.now.wall, .outcome(outcome)))
        look.append(chunk([seen, seen, try past(2, secondsAgo: 2)]))
        #expect(try text(look).count == 2)
    }

    @Test("a look back shows the newest outcomes up to its limit, and how many are left out")
    func bounded() throws {
        var look = LookBack(back: .seconds(600))
        for start in stride(from: 0, to: 25_000, by: 500) {
            look.append(chunk(try (start..<start + 500).map { try past($0, secondsAgo: Int64(30_000 - $0)) }))
        }
        let lines = try text(look)
        #expect(lines.count == 1 + LookBack.limit)
        #expect(lines.first?.contains("10000 requests ended, 15000 earlier ones omitted") == true)
    }
}
