import ControllerCore
import Foundation
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("Copies of a growing journal", .timeLimit(.minutes(1)))
struct JournalCopyTests {
    private static let segmentBytes = 20 * 4_096

    private let scratch: TemporaryDirectory
    private let source: RunDirectory
    private let target: RunDirectory

    init() throws {
        scratch = try TemporaryDirectory()
        source = RunDirectory(path: "\(scratch.path)/live")
        target = RunDirectory(path: "\(scratch.path)/copy")
        for directory in [source, target] { try directory.makePrivate() }
        try FileManager.default.createDirectory(
            atPath: target.journalDirectory, withIntermediateDirectories: false)
    }

    private var copy: JournalCopy {
        JournalCopy(of: source.journalDirectory, in: target.journalDirectory)
    }

    private func open(_ store: Store) throws -> Journal<SegmentFiles> {
        let files = try SegmentFiles(
            directory: source.journalDirectory, epoch: try store.beginEpoch(at: StorageSample.start),
            durability: .process, store: store)
        var replay = JournalReplay()
        return try Journal(
            files, segmentBytes: Self.segmentBytes, at: StorageSample.start, into: &replay)
    }

    private func hasFile(of segment: Int) -> Bool {
        FileManager.default.fileExists(
            atPath: SegmentFile.path(of: segment, in: source.journalDirectory))
    }

    /// Copies the current store: before the journal, as a backup does.
    private func copyStore() throws {
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: source.storeFile + suffix, toPath: target.storeFile + suffix)
        }
        try Witness.makeOfCopies(
            at: Witness.path(besideStore: target.storeFile), storeChanges: nil)
    }

    /// The state of a controller that starts from the copies.
    private func endsInCopy() throws -> Int {
        try StorageSample.read(target.path, storeName: "controller.sqlite").ends.count
    }

    @Test("a copy of a growing journal ends, also after a start that found the next segment prepared")
    func prepared() throws {
        let store = try Store(path: source.storeFile, durability: .process)
        var journal = try open(store)
        // More than half of a segment: another thread creates the next one.
        var next = 12
        for index in 0..<next { try journal.append([try StorageSample.end(index)], open: { [] }) }
        while !hasFile(of: 2) { sched_yield() }
        journal.finish()
        try #require(journal.newest == 1)
        journal = try open(store)
        try #require(journal.newest == 1)
        try copyStore()
        var copy = copy
        var rounds = 1
        while try !copy.copyChanges() {
            try #require(rounds < 3, "it never ends under load")
            try journal.append([try StorageSample.end(next)], open: { [] })
            (next, rounds) = (next + 1, rounds + 1)
        }
        try journal.append([try StorageSample.end(next)], open: { [] })
        journal.finish()
        #expect(try endsInCopy() == next - 1)
    }

    @Test("a copy has outcomes that were rewritten before their first segment was deleted")
    func removed() throws {
        let store = try Store(path: source.storeFile, durability: .process)
        var journal = try open(store)
        var count = 0
        while journal.newest < 2 {
            try journal.append([try StorageSample.end(count)], open: { [] })
            count += 1
        }
        try copyStore()
        var copy = copy
        #expect(try !copy.copyChanges())
        let carried = try (0..<count).map { try StorageSample.end($0) }
        try journal.append(carried + [.segmentsRemoved(before: 2)], open: { [] })
        // Another thread deletes it.
        while hasFile(of: 1) { sched_yield() }
        for _ in 0..<3 where try copy.copyChanges() { break }
        journal.finish()
        #expect(try endsInCopy() == count)
    }
}
