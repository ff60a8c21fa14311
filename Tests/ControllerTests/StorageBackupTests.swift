import ControllerCore
import FleetProtocol
import Foundation
import ProcessSupport
import Synchronization
import TestSupport
import Testing

@testable import controller

@Suite("Copies of store and journal", .timeLimit(.minutes(1)))
struct StorageBackupTests {
    /// Appends to a controller's journal until ``stop()`` is called.
    private final class Writer: Sendable {
        private struct State {
            var ends = 0
            var isStopped = false
            var failure: (any Error)?
        }

        private let state = Mutex(State())
        private let stopped = DispatchSemaphore(value: 0)

        init(_ directory: RunDirectory) {
            DispatchQueue(label: "writer").async { [self] in
                do {
                    try write(directory)
                } catch {
                    state.withLock { $0.failure = error }
                }
                stopped.signal()
            }
        }

        private func write(_ directory: RunDirectory) throws {
            let store = try Store(path: directory.storeFile, durability: .process)
            // A segment is followed by the next after 20 batches, or as soon as that exists.
            var journal = try store.openJournal(
                in: directory.journalDirectory, segmentBytes: 20 * 4_096
            ).journal
            while !state.withLock({ $0.isStopped }) {
                try journal.append([.end(ends)])
                state.withLock { $0.ends += 1 }
            }
            journal.finish()
            try store.close()
        }

        /// The number of outcomes written.
        var ends: Int { state.withLock { $0.ends } }

        var hasFailed: Bool { state.withLock { $0.failure != nil } }

        /// Ends it, and throws its error.
        func stop() throws {
            state.withLock { $0.isStopped = true }
            stopped.wait()
            if let failure = state.withLock({ $0.failure }) { throw failure }
        }
    }

    private let scratch: TemporaryDirectory
    private let source: RunDirectory

    init() throws {
        scratch = try TemporaryDirectory()
        source = RunDirectory(path: "\(scratch.path)/live")
        try source.makePrivate()
    }

    /// Copies the current state.
    private func backUp(as name: String) throws -> RunDirectory {
        let copy = RunDirectory(path: "\(scratch.path)/\(name)")
        try copy.makePrivate()
        try StorageBackup(of: source, in: copy).make()
        return copy
    }

    private func read(_ directory: RunDirectory) throws -> StorageSample.Content {
        try StorageSample.read(directory.path, storeName: "controller.sqlite")
    }

    @Test("copies made while segments grow and close have all earlier entries, without a gap")
    func growing() throws {
        let writer = Writer(source)
        var copies: [(written: Int, directory: RunDirectory)] = []
        for number in 0..<6 {
            while writer.ends < 40 * number + 1, !writer.hasFailed { sched_yield() }
            let written = writer.ends
            copies.append((written, try backUp(as: "copy-\(number)")))
        }
        try writer.stop()
        #expect(try SegmentDirectory(source.journalDirectory).segments().count > 3)
        for (written, directory) in copies {
            let ends = try read(directory).ends
            let expected = (0..<ends.count).map(JournalEntry.end).compactMap { entry in
                if case .ended(_, let report, _, _) = entry { report.requestID } else { nil }
            }
            #expect(ends.count >= written)
            #expect(Set(ends.keys) == Set(expected))
        }
    }

    @Test("an ID that a copy does not have is too old at the start from the copy")
    func horizon() throws {
        let writer = Writer(source)
        while writer.ends < 10, !writer.hasFailed { sched_yield() }
        try writer.stop()
        #expect(try read(source).horizon == nil)
        #expect(try read(backUp(as: "copy")).horizon != nil)
    }

    @Test("a copy of a run directory without a store is refused with its name")
    func noStore() throws {
        #expect(throws: StorageError.missing(path: source.storeFile)) { try backUp(as: "copy") }
    }
}
