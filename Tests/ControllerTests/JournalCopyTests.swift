import ControllerCore
import Foundation
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("Copies of a growing journal", .timeLimit(.minutes(1)))
struct JournalCopyTests {
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
        try store.openJournal(in: source.journalDirectory, segmentBytes: 20 * 4_096).journal
    }

    private func hasFile(of segment: Int) -> Bool {
        FileManager.default.fileExists(atPath: SegmentDirectory(source.journalDirectory).file(of: segment))
    }

    /// Copies the current store: before the journal, as a backup does.
    private func copyStore(of fleet: FleetName) throws {
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: source.storeFile + suffix, toPath: target.storeFile + suffix)
        }
        try makeWitness(of: fleet, end: nil)
    }

    private func makeWitness(of fleet: FleetName, end: JournalEnd?) throws {
        try Witness.makeOfCopies(
            at: Witness.path(besideStore: target.storeFile), of: fleet, storeChanges: nil, end: end)
    }

    /// The state of a controller that starts from the copies.
    private func endsInCopy() throws -> Int {
        try StorageSample.read(target.path, storeName: "controller.sqlite").ends.count
    }

    @Test("a copy of a growing journal takes one round, also after a start with the next segment prepared")
    func prepared() throws {
        let store = try Store(path: source.storeFile, durability: .process)
        var journal = try open(store)
        // More than half of a segment: another thread creates the next one.
        let count = 12
        try journal.append(ends: 0..<count)
        while !hasFile(of: 2) { sched_yield() }
        journal.finish()
        try #require(journal.newest == 1)
        journal = try open(store)
        try #require(journal.newest == 1)
        try copyStore(of: store.fleet)
        var copy = copy
        #expect(try copy.copyFiles())
        try journal.append([.end(count)])
        journal.finish()
        #expect(try endsInCopy() == count)
    }

    @Test("a copy has outcomes that were rewritten before their first segment was deleted")
    func removed() throws {
        let store = try Store(path: source.storeFile, durability: .process)
        var journal = try open(store)
        var count = 0
        while journal.newest < 2 {
            try journal.append([.end(count)])
            count += 1
        }
        try copyStore(of: store.fleet)
        var copy = copy
        #expect(try copy.copyFiles())
        let carried = (0..<count).map(JournalEntry.end)
        try journal.append(carried + [.segmentsRemoved(before: 2)])
        // Another thread deletes it.
        while hasFile(of: 1) { sched_yield() }
        #expect(try copy.copyFiles())
        try makeWitness(of: store.fleet, end: store.witness.journal?.journalEnd)
        journal.finish()
        #expect(try endsInCopy() == count)
    }
}
