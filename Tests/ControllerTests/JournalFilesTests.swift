import ControllerCore
import FileFraming
import FleetProtocol
import FleetTime
import Foundation
import GRDB
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("The journal's files", .timeLimit(.minutes(1)))
struct JournalFilesTests {
    private let scratch: TemporaryDirectory
    private let store: Store
    private var directory: String { "\(scratch.path)/journal" }
    private let start = WallTime(unixMilliseconds: 1_800_000_000_000)

    init() throws {
        scratch = try TemporaryDirectory()
        store = try Store(path: "\(scratch.path)/store.sqlite", durability: .process)
    }

    /// The outcomes of some requests, each with an ID of its own second.
    private func ends(_ range: Range<Int>) throws -> [JournalEntry] {
        var generator = SeededGenerator(seed: 5)
        let account = try #require(AccountID("demo"))
        let user = try #require(Email("demo@sensibus.local"))
        return range.map { index in
            let time = start.advanced(by: .seconds(index))
            let id = RequestID(at: time, using: &generator)
            let report = OutcomeReport(requestID: id, device: nil, outcome: .cancelled, user: user)
            return .ended(account, report, content: nil, at: time)
        }
    }

    private func open(
        at moment: Int = 0, segmentBytes: Int = 1_000_000, durability: Durability = .process
    ) throws -> (journal: Journal<SegmentFiles>, replay: JournalReplay) {
        let epoch = try store.beginEpoch(at: start.advanced(by: .seconds(moment)))
        let files = try SegmentFiles(
            directory: directory, epoch: epoch, durability: durability, store: store)
        var replay = JournalReplay()
        let journal = try Journal(
            files, segmentBytes: segmentBytes, at: start.advanced(by: .seconds(moment)), into: &replay)
        return (journal, replay)
    }

    /// The number of outcomes: those read at once, and those read later.
    private func endedCount(
        _ opened: (journal: Journal<SegmentFiles>, replay: JournalReplay)
    ) async throws -> Int {
        var count = opened.replay.endedCount
        guard opened.replay.unreadUpTo != nil else { return count }
        let reader = SegmentReader(directory: directory, durability: .process)
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

    private var fileNames: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".sqlite") }
                .sorted()
        }
    }

    @Test("the journal's files return every committed entry", arguments: [Durability.process, .power])
    func readBack(durability: Durability) throws {
        var first = try open(durability: durability)
        for index in 0..<20 { try first.journal.append(try ends(index..<index + 1), open: { [] }) }
        first.journal.finish()
        #expect(try open(durability: durability).replay.endedCount == 20)
    }

    @Test("the journal's files return every entry after the process was killed")
    func afterDeath() throws {
        var first = try open()
        try first.journal.append(try ends(0..<5), open: { [] })
        // The files that a process leaves that is killed now.
        let dead = "\(scratch.path)/dead"
        try FileManager.default.copyItem(atPath: directory, toPath: dead)
        first.journal.finish()
        try FileManager.default.removeItem(atPath: directory)
        try FileManager.default.moveItem(atPath: dead, toPath: directory)
        #expect(try open(at: 1).replay.endedCount == 5)
    }

    @Test("a journal continues in another file when one is large enough, beginning with the open requests")
    func rotates() async throws {
        var journal = try open(segmentBytes: 2_000).journal
        let marker = JournalEntry.horizonRaised(start)
        // The files are created on another thread, as fast as the disk is.
        var index = 0
        while try fileNames.count < 4, index < 100_000 {
            try journal.append(try ends(index..<index + 1) + [marker], open: { [marker] })
            index += 1
        }
        #expect(try fileNames.count == 4)
        journal.finish()
        let again = try open()
        #expect(again.replay.endedCount < index)
        #expect(try await endedCount(again) == index)
    }

    @Test("the journal's files are deleted, oldest first, once an entry says that they are not needed")
    func deleted() throws {
        var journal = try open(segmentBytes: 2_000).journal
        var index = 0
        while try fileNames.count < 4, index < 100_000 {
            try journal.append(try ends(index..<index + 1), open: { [] })
            index += 1
        }
        #expect(try fileNames.first == "000001.sqlite", "all are still needed")
        try journal.append([.segmentsRemoved(before: 2)], open: { [] })
        journal.finish()
        #expect(try !fileNames.contains("000001.sqlite"))
        #expect(try fileNames.contains("000002.sqlite"))
        #expect(try open().replay.openCount == 0)
    }

    @Test("the journal's files are not taken over from a running controller")
    func held() throws {
        var old = try open().journal
        try old.append(try ends(0..<1), open: { [] })
        #expect(throws: StorageError.inUse(path: "\(directory)/000001.sqlite")) { try open(at: 1) }
        try old.append(try ends(1..<2), open: { [] })
        old.finish()
        #expect(try open(at: 2).replay.endedCount == 2)
    }

    @Test("a controller cannot write to a file that another one has taken over")
    func fences() throws {
        let path = "\(scratch.path)/segment.sqlite"
        try SegmentFile.create(at: path, for: Epoch(2), .process)
        let file = try SegmentFile(opening: path, .process)
        try file.append([1], as: Epoch(2))
        #expect(throws: StorageError.fenced(by: Epoch(2))) { try file.append([2], as: Epoch(1)) }
        #expect(throws: StorageError.fenced(by: Epoch(2))) { try file.claim(for: Epoch(1)) }
        var batches: [[UInt8]] = []
        try file.read { batches.append(Array($0)) }
        #expect(batches == [[1]])
    }

    @Test("a controller cannot create a file after another one has taken over")
    func fencesNewFiles() throws {
        let epoch = try store.beginEpoch(at: start)
        var files = try SegmentFiles(
            directory: directory, epoch: epoch, durability: .process, store: store)
        _ = try store.beginEpoch(at: start.advanced(by: .seconds(1)))
        #expect(throws: StorageError.fenced(by: epoch.next)) { try files.create(1) }
        #expect(try fileNames.isEmpty)
    }

    @Test("journal files of a newer version are refused and not changed")
    func newer() throws {
        var journal = try open().journal
        try journal.append(try ends(0..<1), open: { [] })
        journal.finish()
        let path = "\(directory)/000001.sqlite"
        try DatabaseQueue(path: path).writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA user_version = 7")
        }
        let before = try Data(contentsOf: URL(filePath: path))
        #expect(throws: StorageError.newer(path: path)) { try open(at: 1) }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test(
        "journal files of another program, or damaged ones, are refused and not changed",
        arguments: [0, 8_000, 12_000])
    func damaged(place: Int) throws {
        var journal = try open().journal
        for index in 0..<100 { try journal.append(try ends(index..<index + 1), open: { [] }) }
        journal.finish()
        let url = URL(filePath: "\(directory)/000001.sqlite")
        var bytes = try Data(contentsOf: url)
        bytes.replaceSubrange(place..<place + 3_000, with: Data(repeating: 0x5a, count: 3_000))
        try bytes.write(to: url)
        let error = #expect(throws: StorageError.self) { try open(at: 1) }
        #expect(
            error?.description.contains("000001.sqlite is damaged") == true, "\(String(describing: error))")
        #expect(try Data(contentsOf: url) == bytes)
        // Reading a file creates an empty log.
        let log = "\(url.path)-wal"
        let logExists = FileManager.default.fileExists(atPath: log)
        #expect(try !logExists || Data(contentsOf: URL(filePath: log)).isEmpty)
    }

    /// Writes a segment's file in the format without linked batches.
    private func makeUnlinked(_ number: Int, _ entries: [JournalEntry]) throws {
        let path = SegmentFile.path(of: number, in: directory)
        let file = try DatabaseQueue(path: path)
        try file.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        try file.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE owner (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL);
                    CREATE TABLE batches (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
                    INSERT INTO owner VALUES (1, 1);
                    PRAGMA user_version = 5;
                    """)
            for entry in entries {
                var writer = RecordWriter()
                writer.put(UInt32(0))
                entry.write(to: &writer)
                writer.set(Checksum.of(writer.bytes.dropFirst(4)), at: 0)
                try db.execute(
                    sql: "INSERT INTO batches (bytes) VALUES (?)", arguments: [Data(writer.bytes)])
            }
        }
        try file.close()
    }

    @Test("files of the format without linked batches continue in another, also if it was created already")
    func unlinked() async throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try makeUnlinked(1, try ends(0..<5))
        try makeUnlinked(2, [])
        for count in 5..<9 {
            var opened = try open(at: count)
            #expect(try await endedCount(opened) == count)
            try opened.journal.append(try ends(count..<count + 1), open: { [] })
            opened.journal.finish()
        }
    }

    @Test("damage in files that are read later is detected when they are read")
    func damagedBefore() async throws {
        var journal = try open(segmentBytes: 100_000).journal
        var index = 0
        while try fileNames.count < 3, index < 100_000 {
            try journal.append(try ends(index..<index + 1), open: { [] })
            index += 1
        }
        journal.finish()
        let url = URL(filePath: "\(directory)/000001.sqlite")
        var bytes = try Data(contentsOf: url)
        // Everything after the schema and the owner: two pages of 4 KiB.
        let batches = 8_192..<bytes.count
        bytes.replaceSubrange(batches, with: Data(repeating: 0x5a, count: batches.count))
        try bytes.write(to: url)
        let again = try open()
        #expect(again.replay.unreadUpTo != nil)
        let error = await #expect(throws: StorageError.self) { try await endedCount(again) }
        #expect(
            error?.description.contains("000001.sqlite is damaged") == true, "\(String(describing: error))")
    }

    @Test("a journal directory that cannot be created is an error with its path")
    func noDirectory() throws {
        try Data().write(to: URL(filePath: directory))
        let error = #expect(throws: StorageError.self) { try open() }
        #expect(error?.description.contains(directory) == true)
    }

    @Test("a controller whose journal files are missing does not start, as old IDs would run again")
    func missing() throws {
        // A controller that ended before it wrote anything leaves an empty file.
        var journal = try open().journal
        journal.finish()
        try FileManager.default.removeItem(atPath: directory)
        let first = StorageError.missing(path: "\(directory)/000001.sqlite")
        #expect(throws: first) { try open(at: 1) }
        #expect(try fileNames.isEmpty)
        #expect(throws: first) { try open(at: 2) }
    }

    @Test("a journal without its newest file is refused, also if an earlier run did not record its number")
    func newestIsMissing() throws {
        var journal = try open(segmentBytes: 2_000).journal
        var index = 0
        while try fileNames.count < 3, index < 100_000 {
            try journal.append(try ends(index..<index + 1), open: { [] })
            index += 1
        }
        journal.finish()
        try store.transaction(.immediate) { try $0.execute(sql: "UPDATE newestSegment SET number = 0") }
        journal = try open(at: 1).journal
        journal.finish()
        let newest = try #require(try fileNames.last)
        try FileManager.default.removeItem(atPath: "\(directory)/\(newest)")
        #expect(throws: StorageError.missing(path: "\(directory)/\(newest)")) { try open(at: 2) }
    }

    @Test("a journal directory that cannot be written is an error with the file's path")
    func readOnlyDirectory() throws {
        let epoch = try store.beginEpoch(at: start)
        let files = try SegmentFiles(
            directory: "/proc/self/task", epoch: epoch, durability: .process, store: store)
        var replay = JournalReplay()
        let error = #expect(throws: StorageError.self) {
            try Journal(files, at: start, into: &replay)
        }
        #expect(error?.description.hasPrefix("cannot use /proc/self/task/000001.sqlite") == true)
        #expect(try store.newestSegment() == 0)
    }
}
