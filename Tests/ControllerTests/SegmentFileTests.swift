import FleetProtocol
import Foundation
import Glibc
import ProcessSupport
import TestSupport
import Testing

@testable import ControllerCore
@testable import controller

@Suite("The file of a segment", .timeLimit(.minutes(1)))
struct SegmentFileTests {
    private static let epoch = Epoch(2)
    private static let fleet = FleetName(bits: 7)

    private let scratch: TemporaryDirectory
    private var path: String { "\(scratch.path)/000001.journal" }

    init() throws { scratch = try TemporaryDirectory() }

    private static func make(at path: String, _ durability: Durability = .process) throws -> SegmentFile {
        try SegmentFile.make(at: path, for: epoch, of: fleet, durability) {
            try $0.move(to: path, isSynced: false)
        }
    }

    /// A batch with one entry.
    private static func batch(_ number: Int) -> [UInt8] {
        var writer = RecordWriter()
        BatchReader.begin(after: BatchLink(number: UInt64(number), checksum: 0), &writer)
        JournalEntry.segmentsRemoved(before: number).write(to: &writer)
        _ = BatchReader.end(&writer)
        return writer.bytes
    }

    private static func batches(_ count: Int) -> [[UInt8]] { (0..<count).map(batch) }

    /// The batches in the file, read by another process.
    private static func content(_ path: String) throws -> [[UInt8]] {
        var batches: [[UInt8]] = []
        try SegmentFile(opening: path).read { batches.append(Array($0)) }
        return batches
    }

    private var bytes: Data {
        get throws { try Data(contentsOf: URL(filePath: path)) }
    }

    @Test(
        "a segment returns its batches, also one longer than a block",
        arguments: [Durability.process, .power])
    func readsBack(durability: Durability) throws {
        let file = try Self.make(at: path, durability)
        #expect(try file.first() == nil && file.last() == nil)
        var writer = RecordWriter()
        BatchReader.begin(after: BatchLink(number: 3, checksum: 0), &writer)
        for number in 0..<100_000 { JournalEntry.segmentsRemoved(before: number).write(to: &writer) }
        _ = BatchReader.end(&writer)
        let batches = Self.batches(3) + [writer.bytes] + Self.batches(3)
        for batch in batches { try file.append(batch, as: Self.epoch) }
        #expect(try Self.content(path) == batches)
        #expect(try file.first() == batches.first?[...] && file.last() == batches.last?[...])
        try file.close()
        #expect(try TemporaryDirectory.permissions(of: path) == 0o600)
    }

    @Test("a segment that ends at any byte of its last batch ends before it, and the next batch replaces it")
    func torn() throws {
        let file = try Self.make(at: path)
        for batch in Self.batches(3) { try file.append(batch, as: Self.epoch) }
        try file.close()
        let whole = try bytes
        let frame = Self.batch(2).count + 4
        for count in whole.count - frame..<whole.count {
            try whole.prefix(count).write(to: URL(filePath: path))
            #expect(try Self.content(path) == Self.batches(2), "\(count)")
            #expect(try bytes.count == count, "reading changes nothing")
            let file = try SegmentFile(opening: path, toAppendWith: .process)
            var readCount = 0
            try file.read { _ in readCount += 1 }
            #expect(readCount == 2)
            #expect(try file.last() == Self.batch(1)[...])
            // A shorter file than before: nothing of the torn batch may remain.
            try file.append(Self.batch(7), as: Self.epoch)
            try file.close()
            #expect(try Self.content(path) == Self.batches(2) + [Self.batch(7)])
            #expect(try bytes.count == whole.count)
        }
    }

    @Test("a segment with a changed bit ends before the changed batch, or is refused by name")
    func flipped() throws {
        let file = try Self.make(at: path)
        for batch in Self.batches(3) { try file.append(batch, as: Self.epoch) }
        try file.close()
        let whole = try bytes
        let frame = Self.batch(0).count + 4
        for place in 0..<whole.count {
            var changed = whole
            changed[place] ^= 1 << UInt8(place % 8)
            try changed.write(to: URL(filePath: path))
            if place < SegmentFile.headerBytes {
                let error = #expect(throws: StorageError.self) { try Self.content(path) }
                #expect(error?.description.hasPrefix("\(path) is damaged") == true)
            } else {
                let intact = (place - SegmentFile.headerBytes) / frame
                #expect(try Self.content(path) == Self.batches(intact), "\(place)")
            }
            #expect(try bytes == changed)
        }
    }

    /// Changes the file's header, whose checksum remains right.
    private func changeHeader(_ change: (inout [UInt8]) -> Void) throws {
        var header = [UInt8](try bytes)
        change(&header)
        var writer = RecordWriter()
        writer.put(Checksum.of(header.dropLast(4)))
        header.replaceSubrange(60..<64, with: writer.bytes)
        try Data(header).write(to: URL(filePath: path))
    }

    @Test("a segment of a newer version is refused")
    func newer() throws {
        try Self.make(at: path).close()
        try changeHeader { $0[8] = 9 }
        #expect(throws: StorageError.newer(path: path)) { try SegmentFile(opening: path) }
    }

    @Test("a segment of format 7 has no fleet, and gets the fleet of the controller that claims it")
    func format7() throws {
        try Self.make(at: path).close()
        try changeHeader {
            $0[8] = 7
            $0.replaceSubrange(20..<28, with: [UInt8](repeating: 0, count: 8))
        }
        let file = try SegmentFile(opening: path)
        #expect(file.fleet == nil)
        try file.claim(for: Self.epoch.next, of: Self.fleet)
        #expect(try SegmentFile(opening: path).fleet == Self.fleet)
    }

    @Test("a segment that a process has open for appending is not taken over, but can be read")
    func locked() throws {
        let file = try Self.make(at: path)
        try file.append(Self.batch(0), as: Self.epoch)
        #expect(throws: StorageError.inUse(path: path)) {
            try SegmentFile(opening: path, toAppendWith: .process)
        }
        #expect(try Self.content(path) == [Self.batch(0)])
        try file.append(Self.batch(1), as: Self.epoch)
        try file.close()
        let next = try SegmentFile(opening: path, toAppendWith: .process)
        try next.claim(for: Self.epoch.next, of: Self.fleet)
        try next.close()
    }

    @Test("a controller whose lock has no effect cannot append once a later one has claimed the segment")
    func fenced() throws {
        let path = path
        let former = try Self.make(at: path)
        try former.append(Self.batch(0), as: Self.epoch)
        // A file that was not opened for appending is not locked.
        let next = try SegmentFile(opening: path)
        try next.read { _ in }
        try next.claim(for: Self.epoch.next, of: Self.fleet)
        let fenced = StorageError.fenced(by: Self.epoch.next)
        #expect(throws: fenced) { try former.confirm(Self.epoch) }
        #expect(throws: fenced) { try former.append(Self.batch(1), as: Self.epoch) }
        #expect(throws: fenced) { try former.claim(for: Self.epoch, of: Self.fleet) }
        try next.append(Self.batch(2), as: Self.epoch.next)
        #expect(try Self.content(path) == [Self.batch(0), Self.batch(2)])
    }

    @Test("a batch that a full disk wrote in part leaves nothing, and is written when there is room")
    func full() async {
        await #expect(processExitsWith: .success) {
            let scratch = try TemporaryDirectory()
            let path = "\(scratch.path)/000001.journal"
            let file = try SegmentFileTests.make(at: path)
            try file.append(SegmentFileTests.batch(0), as: SegmentFileTests.epoch)
            let kind = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            var former = rlimit()
            #expect(getrlimit(kind, &former) == 0)
            signal(SIGXFSZ, SIG_IGN)
            let count = try Data(contentsOf: URL(filePath: path)).count
            for room in 1..<SegmentFileTests.batch(1).count + 4 {
                var limit = rlimit(rlim_cur: rlim_t(count + room), rlim_max: former.rlim_max)
                #expect(setrlimit(kind, &limit) == 0)
                #expect(throws: StorageError.full(path: path)) {
                    try file.append(SegmentFileTests.batch(1), as: SegmentFileTests.epoch)
                }
                #expect(try Data(contentsOf: URL(filePath: path)).count == count)
            }
            #expect(setrlimit(kind, &former) == 0)
            try file.append(SegmentFileTests.batch(1), as: SegmentFileTests.epoch)
            #expect(try SegmentFileTests.content(path) == SegmentFileTests.batches(2))
        }
    }
}
