import FileFraming
import FleetProtocol
import FleetTime
import Foundation
import ProcessSupport
import SQLite
import TestSupport
import Testing

@testable import ControllerCore
@testable import controller

@Suite("Segments of earlier versions", .timeLimit(.minutes(1)))
struct EarlierSegmentsTests {
    private let bench: JournalBench

    init() throws {
        bench = try JournalBench()
        try FileManager.default.createDirectory(
            atPath: bench.directory, withIntermediateDirectories: true)
    }

    private func database(_ number: Int) -> String { "\(bench.directory)/00000\(number).sqlite" }

    /// Writes a segment as a version with that format left it when it was killed.
    ///
    /// - Returns: The links of the batches.
    @discardableResult
    private func make(
        _ number: Int, format: Int, after link: BatchLink = .origin, _ batches: [[JournalEntry]]
    ) throws -> [BatchLink] {
        let live = "\(bench.scratch.path)/live.sqlite"
        let db = try Database(path: live)
        try db.execute("PRAGMA journal_mode = WAL")
        var links = [link]
        try db.inTransaction(.immediate) {
            let isLinked = format > 5
            try db.execute(
                """
                CREATE TABLE owner (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL
                    \(isLinked ? ", checksum INTEGER NOT NULL" : ""));
                CREATE TABLE batches (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
                PRAGMA user_version = \(format);
                """)
            var owner = RecordWriter()
            owner.put(UInt64(1))
            try db.execute(
                "INSERT INTO owner VALUES (1, 1\(isLinked ? ", \(Checksum.of(owner.bytes))" : ""))")
            for entries in batches {
                var writer = RecordWriter()
                if isLinked {
                    BatchReader.begin(after: links[links.count - 1], &writer)
                } else {
                    writer.put(UInt32(0))
                }
                for entry in entries { entry.write(to: &writer) }
                let checksum = Checksum.of(writer.bytes.dropFirst(4))
                writer.set(checksum, at: 0)
                links.append(links[links.count - 1].next(checksum))
                try db.prepare("INSERT INTO batches (bytes) VALUES (?)").execute([writer.bytes])
            }
        }
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: live + suffix, toPath: database(number) + suffix)
        }
        try db.close()
        for suffix in ["", "-wal", "-shm"] { unlink(live + suffix) }
        return Array(links.dropFirst())
    }

    private func open(_ index: Int) throws -> JournalEntry {
        var generator = SeededGenerator(seed: UInt64(100 + index))
        return .admitted(
            RequestRecord(
                account: try #require(AccountID("demo")),
                requestID: RequestID(at: JournalBench.start, using: &generator),
                content: RequestContent(device: DeviceID(fleetSeed: 1, index: 0), kind: .toggle),
                user: try #require(Email("demo@sensibus.local")), arrivedAt: JournalBench.start,
                deadline: JournalBench.start))
    }

    /// The journal of format 6 that a killed controller left: two segments, with seven outcomes and two open
    /// requests, and perhaps the next segment.
    private func makeKilled(hasPrepared: Bool) throws {
        let ends = try bench.ends(0..<7)
        var first = JournalSegment(number: 1)
        let links = try make(1, format: 6, [[try open(1)], Array(ends[..<5])])
        for case .ended(_, let report, _, let time) in ends[..<5] {
            first.recordEnd(of: report.requestID, at: time)
        }
        for link in links { first.record(link) }
        let later = try make(
            2, format: 6, after: links[1],
            [[.segmentBegan(after: [first]), try open(1)], Array(ends[5...]), [try open(2)]])
        if hasPrepared { try make(3, format: 6, []) }
        let epoch = try bench.store.beginEpoch(at: JournalBench.start)
        try bench.store.recordSegment(hasPrepared ? 3 : 2, of: epoch)
        try bench.store.witness.record(JournalEnd(segment: 2, batch: later[2]))
    }

    @Test(
        "a journal of format 6 continues in a file, with all outcomes and open requests",
        arguments: [false, true])
    func upgraded(hasPrepared: Bool) async throws {
        try makeKilled(hasPrepared: hasPrepared)
        for count in 7..<10 {
            var opened = try bench.open(at: count)
            #expect(opened.replay.openCount == 2)
            #expect(try await bench.endedCount(opened) == count)
            try opened.journal.append(try bench.ends(count..<count + 1), open: { [] })
            #expect(opened.journal.newest == 3)
            opened.journal.finish()
            #expect(try bench.fileNames == ["000003.journal"])
        }
        #expect(!FileManager.default.fileExists(atPath: database(3)))
        #expect(try bench.store.newestSegment() == 3, "an earlier version misses that segment")
    }

    @Test("a journal of format 6 that lost its end is refused with the file's name")
    func lostEnd() throws {
        try makeKilled(hasPrepared: false)
        try FileManager.default.removeItem(atPath: "\(database(2))-wal")
        let error = #expect(throws: StorageError.self) { try bench.open() }
        #expect(error?.description.hasPrefix("\(database(2)) is damaged") == true)
        #expect(try bench.fileNames.isEmpty)
    }

    @Test("a backup of a journal of format 6 has all outcomes and open requests")
    func backedUp() throws {
        try makeKilled(hasPrepared: true)
        let copy = "\(bench.scratch.path)/copy"
        var journal = JournalCopy(of: bench.directory, in: copy)
        try journal.make()
        var check = JournalCheck(against: nil)
        var count = 0
        for number in try SegmentDirectory(copy).segments() {
            check.begin(number)
            let file = try SegmentDirectory(copy).open(number)
            try file.read { (batch) throws(StorageError) in
                try check.append(batch)
                count += 1
            }
            try file.close()
        }
        try check.finish(newest: 3) { "\($0)" }
        #expect(count == 5)
    }

    @Test("segments of the format without linked batches continue in a file, also if the next was prepared")
    func unlinked() async throws {
        try make(1, format: 5, try bench.ends(0..<5).map { [$0] })
        try make(2, format: 5, [])
        for count in 5..<9 {
            var opened = try bench.open(at: count)
            #expect(try await bench.endedCount(opened) == count)
            try opened.journal.append(try bench.ends(count..<count + 1), open: { [] })
            opened.journal.finish()
            #expect(try bench.fileNames == ["000002.journal"])
        }
    }

    @Test("a segment of an earlier version is claimed, and not taken over by an earlier epoch")
    func claimed() throws {
        try make(1, format: 6, [try bench.ends(0..<1)])
        let file = try DatabaseSegment(opening: database(1))
        try file.claim(for: Epoch(5))
        #expect(throws: StorageError.fenced(by: Epoch(5))) { try file.claim(for: Epoch(4)) }
        try file.close()
        let again = try DatabaseSegment(opening: database(1))
        try again.claim(for: Epoch(5))
        try again.close()
    }
}
