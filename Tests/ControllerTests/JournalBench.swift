import ControllerCore
import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing

@testable import controller

/// A journal in a directory of its own, with its store.
struct JournalBench {
    let scratch: TemporaryDirectory
    let store: Store
    var directory: String { "\(scratch.path)/journal" }
    static let start = WallTime(unixMilliseconds: 1_800_000_000_000)

    init() throws {
        scratch = try TemporaryDirectory()
        store = try Store(path: "\(scratch.path)/store.sqlite", durability: .process)
    }

    /// The outcomes of some requests, each with an ID of its own second.
    func ends(_ range: Range<Int>) throws -> [JournalEntry] {
        var generator = SeededGenerator(seed: 5)
        let account = try #require(AccountID("demo"))
        let user = try #require(Email("demo@sensibus.local"))
        return range.map { index in
            let time = Self.start.advanced(by: .seconds(index))
            let id = RequestID(at: time, using: &generator)
            let report = OutcomeReport(requestID: id, device: nil, outcome: .cancelled, user: user)
            return .ended(account, report, content: nil, at: time)
        }
    }

    func open(
        at moment: Int = 0, segmentBytes: Int = 1_000_000, durability: Durability = .process
    ) throws -> (journal: Journal<SegmentFiles>, replay: JournalReplay) {
        let epoch = try store.beginEpoch(at: Self.start.advanced(by: .seconds(moment)))
        let files = try SegmentFiles(
            directory: directory, epoch: epoch, durability: durability, store: store)
        var replay = JournalReplay()
        let journal = try Journal(
            files, segmentBytes: segmentBytes, at: Self.start.advanced(by: .seconds(moment)), into: &replay)
        return (journal, replay)
    }

    /// The number of outcomes: those read at once, and those read later.
    func endedCount(
        _ opened: (journal: Journal<SegmentFiles>, replay: JournalReplay)
    ) async throws -> Int {
        var count = opened.replay.endedCount
        guard opened.replay.unreadUpTo != nil else { return count }
        let reader = SegmentReader(directory: directory)
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self)
        reader.read(opened.journal.unread) { wake.yield() }
        for await _ in wakes {
            guard let (part, _) = try reader.popPart() else { continue }
            count += part.ends.endedCount
            if part.unreadUpTo == nil { break }
        }
        reader.finish()
        return count
    }

    var fileNames: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".journal") }
                .sorted()
        }
    }
}
