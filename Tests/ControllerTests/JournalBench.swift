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

    /// The path of a segment's file.
    func file(of segment: Int = 1) -> String { SegmentDirectory(directory).file(of: segment) }

    /// The files of a controller that takes over.
    func files(at moment: Int = 0) throws -> SegmentFiles {
        try SegmentFiles(
            directory: directory, epoch: store.beginEpoch(at: Self.start.advanced(by: .seconds(moment))),
            durability: .process, store: store)
    }

    func open(
        at moment: Int = 0, segmentBytes: Int = 1_000_000, durability: Durability = .process
    ) throws -> (journal: Journal<SegmentFiles>, replay: JournalReplay) {
        try store.openJournal(
            in: directory, segmentBytes: segmentBytes, durability: durability,
            at: Self.start.advanced(by: .seconds(moment)))
    }

    /// Appends an outcome at a time until there are so many files, which another thread creates as fast as
    /// the disk is; the number of outcomes.
    @discardableResult
    func fill(
        _ journal: inout Journal<SegmentFiles>, untilFiles count: Int, carrying carried: [JournalEntry] = []
    ) throws -> Int {
        var ends = 0
        while try fileNames.count < count, ends < 100_000 {
            try journal.append([.end(ends)] + carried, open: { carried })
            ends += 1
        }
        return ends
    }

    /// The number of outcomes: those read at once, and those read later.
    func endedCount(_ opened: (journal: Journal<SegmentFiles>, replay: JournalReplay)) async throws -> Int {
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

extension Store {
    /// The journal of a controller that takes over, and what it has read at once.
    func openJournal(
        in directory: String, segmentBytes: Int = Journal<SegmentFiles>.segmentBytes,
        durability: Durability = .process, at now: WallTime = JournalBench.start
    ) throws -> (journal: Journal<SegmentFiles>, replay: JournalReplay) {
        let files = try SegmentFiles(
            directory: directory, epoch: beginEpoch(at: now), durability: durability, store: self)
        var replay = JournalReplay()
        let journal = try Journal(files, segmentBytes: segmentBytes, at: now, into: &replay)
        return (journal, replay)
    }
}

extension JournalEntry {
    /// The outcome of a request that has an ID of its own second.
    static func end(_ index: Int) -> JournalEntry {
        var generator = SeededGenerator(seed: UInt64(index))
        let time = JournalBench.start.advanced(by: .seconds(index))
        let report = OutcomeReport(
            requestID: RequestID(at: time, using: &generator), device: nil, outcome: .cancelled, user: .ann)
        return .ended(.demo, report, content: nil, at: time)
    }
}

extension Journal {
    /// Appends changes of requests only.
    mutating func append(
        _ entries: [JournalEntry], open: () -> [JournalEntry] = { [] }
    ) throws(StorageError) {
        try append(entries.map(StorageChange.request), open: open)
    }

    /// Appends the outcomes of some requests, each in a batch of its own.
    mutating func append(ends range: Range<Int>) throws(StorageError) {
        for index in range { try append([.end(index)]) }
    }
}
