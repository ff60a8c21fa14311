import ControllerCore
import FleetProtocol
import Foundation
import Glibc
import ProcessSupport
import TestSupport
import Testing

@testable import controller

/// The journal of a controller that died while it wrote its fourth batch, or after that.
@Suite("The end of a segment", .timeLimit(.minutes(1)))
struct TornSegmentTests {
    private let bench: JournalBench
    /// The file with three batches, and with four.
    private let (before, after): (Data, Data)
    /// The marks of the journal in the witness at the same times.
    private let (noted, notedAfter): (WitnessMark, WitnessMark)
    private let slots: [WitnessMark?]

    init() throws {
        bench = try JournalBench()
        var journal = try bench.open().journal
        try journal.append(ends: 0..<3)
        before = try Data(contentsOf: URL(filePath: bench.file()))
        noted = try #require(bench.store.witness.journal)
        try journal.append([.end(3)])
        after = try Data(contentsOf: URL(filePath: bench.file()))
        notedAfter = try #require(bench.store.witness.journal)
        let witness = bench.store.witness
        slots = [witness.store, WitnessMark(boot: "", isOnDisk: true, number: bench.store.fleet.bits)]
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: store + suffix, toPath: "\(store).then\(suffix)")
        }
        journal.finish()
    }

    private var store: String { "\(bench.scratch.path)/store.sqlite" }

    /// The number of outcomes in each of two starts from a file, with an outcome added in between.
    private func ends(in file: Data, _ mark: WitnessMark) throws -> [Int] {
        let path = bench.scratch.path
        for suffix in ["", "-wal", "-shm"] {
            unlink(store + suffix)
            if suffix != "-shm" {
                try FileManager.default.copyItem(atPath: "\(store).then\(suffix)", toPath: store + suffix)
            }
        }
        try file.write(to: URL(filePath: bench.file()))
        try SlotFile.make([slots[0], mark, slots[1]].map(WitnessMark.slot), at: "\(path)/witness")
        let first = try StorageSample.read(path, adding: [.end(9)]).ends.count
        return [first, try StorageSample.read(path).ends.count]
    }

    @Test("a batch that is incomplete at any byte was not noted, and is replaced by the next one")
    func incomplete() throws {
        for count in before.count..<after.count {
            #expect(try ends(in: after.prefix(count), noted) == [3, 4], "\(count)")
        }
        #expect(try ends(in: after, noted) == [4, 5])
    }

    @Test("a batch that was noted and is incomplete is damage")
    func lost() throws {
        for count in stride(from: before.count, to: after.count, by: 5) {
            expectDamage { try ends(in: after.prefix(count), notedAfter) }
        }
    }

    @Test("a batch with wrong bytes that was not noted is damage, and after a power failure it is left out")
    func torn() throws {
        let isOnDisk = WitnessMark(
            boot: "another", isOnDisk: true, number: noted.number, segment: noted.segment,
            checksum: noted.checksum)
        for place in stride(from: before.count, to: after.count, by: 5) {
            var torn = after
            // The length and the bytes after it that a disk has not written are zeros.
            torn.replaceSubrange(place..., with: Data(count: after.count - place))
            guard torn != after else { continue }
            #expect(try ends(in: torn, isOnDisk) == [3, 4], "\(place)")
        }
        var changed = after
        changed[after.count - 1] ^= 1
        #expect(try ends(in: changed, isOnDisk) == [3, 4])
        expectDamage { try ends(in: changed, noted) }
    }

    @Test("a changed bit before the noted end is damage, also after a power failure with synced batches")
    func flipped() throws {
        let isOnDisk = WitnessMark(
            boot: "another", isOnDisk: true, number: notedAfter.number, segment: notedAfter.segment,
            checksum: notedAfter.checksum)
        for place in stride(from: 0, to: after.count, by: 31) {
            var changed = after
            changed[place] ^= 1 << UInt8(place % 8)
            for mark in [notedAfter, isOnDisk] {
                expectDamage { try ends(in: changed, mark) }
            }
            #expect(try Data(contentsOf: URL(filePath: bench.file())) == changed)
        }
    }

    /// Expects that a start is refused, by an error that names the segment.
    private func expectDamage(_ start: () throws -> [Int]) {
        let error = #expect(throws: StorageError.self) { _ = try start() }
        #expect(error?.description.hasPrefix("\(bench.file()) is damaged") == true)
    }
}
