import ControllerCore
import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("The journal's files", .timeLimit(.minutes(1)))
struct JournalFilesTests {
    private let bench: JournalBench

    init() throws { bench = try JournalBench() }

    @Test("the journal's files return every committed entry", arguments: [Durability.process, .power])
    func readBack(durability: Durability) throws {
        var first = try bench.open(durability: durability)
        try first.journal.append(ends: 0..<20)
        first.journal.finish()
        #expect(try bench.open(durability: durability).replay.endedCount == 20)
    }

    @Test("the journal's files return every entry after the process was killed")
    func afterDeath() throws {
        var first = try bench.open()
        try first.journal.append((0..<5).map(JournalEntry.end))
        // The files that a process leaves that is killed now.
        let dead = "\(bench.scratch.path)/dead"
        try FileManager.default.copyItem(atPath: bench.directory, toPath: dead)
        try FileManager.default.removeItem(atPath: bench.directory)
        try FileManager.default.moveItem(atPath: dead, toPath: bench.directory)
        #expect(try bench.open(at: 1).replay.endedCount == 5)
    }

    @Test("a journal continues in another file when one is large enough, beginning with the open requests")
    func rotates() async throws {
        var journal = try bench.open(segmentBytes: 2_000).journal
        let marker = JournalEntry.horizonRaised(JournalBench.start)
        let count = try bench.fill(&journal, untilFiles: 4, carrying: [marker])
        #expect(try bench.fileNames.count == 4)
        journal.finish()
        let again = try bench.open()
        #expect(again.replay.endedCount < count)
        #expect(try await bench.endedCount(again) == count)
    }

    @Test("the journal's files are deleted, oldest first, once an entry says that they are not needed")
    func deleted() throws {
        var journal = try bench.open(segmentBytes: 2_000).journal
        try bench.fill(&journal, untilFiles: 4)
        #expect(try bench.fileNames.first == "000001.journal", "all are still needed")
        try journal.append([.segmentsRemoved(before: 2)])
        journal.finish()
        #expect(try !bench.fileNames.contains("000001.journal"))
        #expect(try bench.fileNames.contains("000002.journal"))
        #expect(try bench.open().replay.openCount == 0)
    }

    @Test("the journal's files are not taken over from a running controller")
    func held() throws {
        var old = try bench.open().journal
        try old.append([.end(0)])
        let path = bench.file()
        #expect(throws: StorageError.inUse(path: path)) { try bench.open(at: 1) }
        try old.append([.end(1)])
        old.finish()
        #expect(try bench.open(at: 2).replay.endedCount == 2)
    }

    @Test("a controller cannot create a file after another one has taken over")
    func fencesNewFiles() throws {
        var files = try bench.files()
        let later = try bench.store.beginEpoch(at: JournalBench.start.advanced(by: .seconds(1)))
        #expect(throws: StorageError.fenced(by: later)) { try files.create(1) }
        #expect(try bench.fileNames.isEmpty)
    }

    @Test("an empty file that an earlier run has prepared is taken by a start that needs a new one")
    func takesPrepared() throws {
        for moment in 0..<3 {
            var files = try bench.files(at: moment)
            for segment in try files.segments() {
                try files.claim(segment)
                try files.read(segment) { _ in }
            }
            try files.create(2)
            if moment == 2 { try files.append([1], to: 2) }
            files.finish()
        }
        #expect(try bench.fileNames == ["000002.journal"])
    }

    @Test("a store counts the changes of an earlier controller until its own epoch")
    func countsUntilEpoch() throws {
        let later = try Store(path: bench.store.path, durability: .process)
        try bench.store.transaction(.immediate) { _ in }
        #expect(later.changes < bench.store.changes)
        _ = try later.beginEpoch(at: JournalBench.start)
        #expect(later.changes == bench.store.changes)
    }

    @Test(
        "journal files of another program, or damaged ones, are refused and not changed",
        arguments: [0, 64, 4_000])
    func damaged(place: Int) throws {
        var journal = try bench.open().journal
        try journal.append(ends: 0..<100)
        journal.finish()
        let url = URL(filePath: bench.file())
        var bytes = try Data(contentsOf: url)
        bytes.replaceSubrange(place..<place + 3_000, with: Data(repeating: 0x5a, count: 3_000))
        try bytes.write(to: url)
        let error = #expect(throws: StorageError.self) { try bench.open(at: 1) }
        #expect(
            error?.description.contains("000001.journal is damaged") == true, "\(String(describing: error))")
        #expect(try Data(contentsOf: url) == bytes)
    }

    @Test("damage in files that are read later is detected when they are read")
    func damagedBefore() async throws {
        var journal = try bench.open(segmentBytes: 100_000).journal
        try bench.fill(&journal, untilFiles: 3)
        journal.finish()
        let url = URL(filePath: bench.file())
        var bytes = try Data(contentsOf: url)
        let batches = SegmentFile.headerBytes..<bytes.count
        bytes.replaceSubrange(batches, with: Data(repeating: 0x5a, count: batches.count))
        try bytes.write(to: url)
        let again = try bench.open()
        #expect(again.replay.unreadUpTo != nil)
        let error = await #expect(throws: StorageError.self) { try await bench.endedCount(again) }
        #expect(
            error?.description.contains("000001.journal is damaged") == true, "\(String(describing: error))")
    }

    @Test("a segment that an earlier version wrote as a database is refused by name, and stays")
    func database() throws {
        var journal = try bench.open().journal
        journal.finish()
        let path = "\(bench.directory)/000001.sqlite"
        try Data().write(to: URL(filePath: path))
        #expect(throws: StorageError.older(path: path)) { try bench.open(at: 1) }
        #expect(StorageError.older(path: path).description.contains("fleet reset"))
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test("a journal directory that cannot be created is an error with its path")
    func noDirectory() throws {
        try Data().write(to: URL(filePath: bench.directory))
        let error = #expect(throws: StorageError.self) { try bench.open() }
        #expect(error?.description.contains(bench.directory) == true)
    }

    @Test("a controller whose journal files are missing does not start, as old IDs would run again")
    func missing() throws {
        // A controller that ended before it wrote anything leaves an empty file.
        var journal = try bench.open().journal
        journal.finish()
        try FileManager.default.removeItem(atPath: bench.directory)
        let first = StorageError.missing(path: bench.file())
        #expect(throws: first) { try bench.open(at: 1) }
        #expect(try bench.fileNames.isEmpty)
        #expect(throws: first) { try bench.open(at: 2) }
    }

    @Test("a journal without its newest file is refused, also if an earlier run did not record its number")
    func newestIsMissing() throws {
        var journal = try bench.open(segmentBytes: 2_000).journal
        try bench.fill(&journal, untilFiles: 3)
        journal.finish()
        try bench.store.transaction(.immediate) { try $0.execute("UPDATE newestSegment SET number = 0") }
        journal = try bench.open(at: 1).journal
        journal.finish()
        let newest = try #require(try bench.fileNames.last)
        try FileManager.default.removeItem(atPath: "\(bench.directory)/\(newest)")
        #expect(throws: StorageError.missing(path: "\(bench.directory)/\(newest)")) { try bench.open(at: 2) }
    }

    @Test("a journal directory that cannot be written is an error with the file's path")
    func readOnlyDirectory() throws {
        let epoch = try bench.store.beginEpoch(at: JournalBench.start)
        let files = try SegmentFiles(
            directory: "/proc/self/task", epoch: epoch, durability: .process, store: bench.store)
        var replay = JournalReplay()
        let error = #expect(throws: StorageError.self) {
            try Journal(files, at: JournalBench.start, into: &replay)
        }
        #expect(error?.description.hasPrefix("cannot use /proc/self/task/000001.journal") == true)
        #expect(try bench.store.newestSegment() == 0)
    }
}
