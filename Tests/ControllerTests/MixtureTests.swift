import ControllerCore
import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing

@testable import controller

/// The files of two moments of a fleet, or of two fleets, in one directory.
@Suite("Mixtures of store, journal and witness", .timeLimit(.minutes(1)))
struct MixtureTests {
    /// What happens to the controller between the two moments, after which a user is removed.
    enum Interval: CaseIterable {
        case none, kill, stop
    }

    /// The files, each with what belongs to it.
    private static let files = [["store.sqlite", "store.sqlite-wal"], ["journal"], ["witness"]]

    private let scratch: TemporaryDirectory
    private var live: String { "\(scratch.path)/live" }

    init() throws { scratch = try TemporaryDirectory() }

    /// A controller at work in a directory.
    private struct Run {
        let store: Store
        var journal: Journal<SegmentFiles>

        init(in directory: String) throws {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            store = try Store(path: "\(directory)/store.sqlite", durability: .process)
            journal = try store.openJournal(in: "\(directory)/journal").journal
        }

        mutating func end(_ range: Range<Int>) throws {
            try journal.append(ends: range)
        }

        mutating func stop() throws {
            journal.finish()
            try store.close()
        }
    }

    private func copy(_ name: String) throws { try Self.copy(live, to: "\(scratch.path)/\(name)") }

    private static func copy(_ path: String, to target: String) throws {
        try FileManager.default.replace(target, byCopyOf: path)
    }

    /// Copies the files before and after a user was removed and more requests have ended.
    private func makeMoments(_ interval: Interval) throws {
        var run = try Run(in: live)
        for email in [Email.ann, .eve] { try run.store.add(.init(email)) }
        try run.end(0..<3)
        if interval == .stop { try run.stop() }
        try copy("A")
        if interval != .none {
            // The killed process has its files open, and locked.
            try copy("B")
            try FileManager.default.removeItem(atPath: live)
            try FileManager.default.moveItem(atPath: "\(scratch.path)/B", toPath: live)
            run = try Run(in: live)
        }
        try run.store.append([.access(.userRemoved(.eve))])
        try run.end(3..<6)
        try run.store.append([.access(.userAdded(.init(valid(Email("zoe@example.com")))))])
        try copy("B")
    }

    /// Starts a controller from a mixture.
    private func read(_ moments: [String]) throws -> StorageSample.Content {
        let mixture = "\(scratch.path)/mixture"
        if FileManager.default.fileExists(atPath: mixture) {
            try FileManager.default.removeItem(atPath: mixture)
        }
        try FileManager.default.createDirectory(atPath: mixture, withIntermediateDirectories: false)
        for (names, moment) in zip(Self.files, moments) {
            for name in names {
                let source = "\(scratch.path)/\(moment)/\(name)"
                guard FileManager.default.fileExists(atPath: source) else { continue }
                try FileManager.default.copyItem(atPath: source, toPath: "\(mixture)/\(name)")
            }
        }
        return try StorageSample.read(mixture)
    }

    /// All choices of one of two moments for each file.
    private static func choices(_ one: String, _ other: String) -> [[String]] {
        (0..<8).map { bits in (0..<3).map { bits >> $0 & 1 == 0 ? one : other } }
    }

    private func expectRefusal(_ moments: [String]) {
        let error = #expect(throws: StorageError.self, "\(moments)") { try read(moments) }
        let isNamed = Self.files.contains { error?.description.contains("mixture/\($0[0])") == true }
        #expect(isNamed, "\(moments): \(String(describing: error))")
    }

    @Test("an older file is refused by name, unless all are of that moment", arguments: Interval.allCases)
    func moments(_ interval: Interval) throws {
        try makeMoments(interval)
        let (before, after) = (try read(["A", "A", "A"]), try read(["B", "B", "B"]))
        #expect(before.users != after.users && before.ends.count == 3 && after.ends.count == 6)
        for moments in Self.choices("A", "B") where moments != ["A", "A", "A"] {
            if moments[..<2] == ["B", "B"] {
                #expect(try read(moments) == after, "\(moments)")
            } else {
                expectRefusal(moments)
            }
        }
    }

    @Test("an older store with its witness stays refused after 20 starts")
    func refusedStarts() throws {
        try makeMoments(.kill)
        expectRefusal(["A", "B", "A"])
        for _ in 0..<20 {
            #expect(throws: StorageError.self) { try StorageSample.read("\(scratch.path)/mixture") }
        }
    }

    @Test("after an orderly end, each later start refuses the store or the journal of an earlier run")
    func lastRun() throws {
        for moment in ["A", "B"] {
            var run = try Run(in: live)
            try run.stop()
            try copy(moment)
        }
        expectRefusal(["A", "B", "A"])
        expectRefusal(["B", "A", "A"])
    }

    @Test("files of two fleets are refused by name")
    func fleets() throws {
        try makeMoments(.none)
        try Self.copy("\(scratch.path)/B", to: "\(scratch.path)/ours")
        try FileManager.default.removeItem(atPath: live)
        try makeMoments(.none)
        for moments in Self.choices("ours", "B") where Set(moments).count == 2 { expectRefusal(moments) }
        #expect(try read(["ours", "ours", "ours"]).ends.count == 6)
    }

    @Test("a controller that dies after any step of a start or a stop is followed by another")
    func killed() throws {
        var run = try Run(in: live)
        try run.store.add(.init(.ann))
        try run.end(0..<3)
        try run.stop()
        var content = try read(of: live)
        content.horizon = nil
        let store = try Store(path: "\(live)/store.sqlite", durability: .process)
        try expect(content, after: "the store was opened")
        let epoch = try store.beginEpoch(at: JournalBench.start)
        try expect(content, after: "the epoch was raised")
        let files = try SegmentFiles(
            directory: "\(live)/journal", epoch: epoch, durability: .process, store: store)
        var replay = JournalReplay()
        var journal = try Journal(files, at: JournalBench.start, into: &replay)
        try expect(content, after: "the journal was opened")
        try store.append([.access(.userRemoved(.eve))])
        try expect(content, after: "the store was changed")
        journal.finish()
        try expect(content, after: "the journal was finished")
        try store.close()
        try expect(content, after: "the store was closed")
    }

    private func read(of directory: String) throws -> StorageSample.Content {
        try Self.copy(directory, to: "\(scratch.path)/mixture")
        return try StorageSample.read("\(scratch.path)/mixture")
    }

    private func expect(_ content: StorageSample.Content, after step: String) throws {
        #expect(try read(of: live) == content, "\(step)")
    }
}
