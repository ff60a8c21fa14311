import ControllerCore
import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("Preparation of segments")
struct SegmentsToComeTests {
    /// The results of successive requests for segments: the file, or the next action.
    private func remove(_ segments: [Int], of toCome: inout SegmentsToCome<String>) -> [String] {
        segments.map { segment in
            let (file, isToBeMade) = toCome.remove(segment)
            return file ?? (isToBeMade ? "make" : "wait")
        }
    }

    @Test("a segment is created once, and returned once")
    func once() {
        var toCome = SegmentsToCome<String>()
        let before = remove([2, 2], of: &toCome)
        toCome.addMade(2, "second")
        let after = remove([2, 2], of: &toCome)
        #expect(before == ["make", "wait"])
        #expect(after == ["second", "wait"])
    }

    @Test("a segment without room on the disk is created again, and no other is")
    func noRoom() {
        var toCome = SegmentsToCome<String>()
        let before = remove([2, 3], of: &toCome)
        toCome.recordFullDisk(for: 2)
        toCome.addMade(3, "third")
        let after = remove([3, 3, 2, 2], of: &toCome)
        #expect(before == ["make", "make"])
        #expect(after == ["third", "wait", "make", "wait"])
    }

    @Test("prepared segments that were not used are returned at the end")
    func left() {
        var toCome = SegmentsToCome<String>()
        _ = toCome.remove(2)
        toCome.addMade(2, "second")
        let (first, second) = (toCome.drainUnused(), toCome.drainUnused())
        #expect(first == ["second"])
        #expect(second.isEmpty)
    }

    private func worker(in scratch: TemporaryDirectory) throws -> (SegmentWorker, Epoch) {
        let store = try Store(path: "\(scratch.path)/store.sqlite", durability: .process)
        let epoch = try store.beginEpoch(at: WallTime(unixMilliseconds: 1_800_000_000_000))
        let worker = SegmentWorker(directory: scratch.path, epoch: epoch, durability: .process, store: store)
        return (worker, epoch)
    }

    @Test("a segment does not replace a file of that name, which another process has made")
    func exclusive() throws {
        let scratch = try TemporaryDirectory()
        let (worker, _) = try worker(in: scratch)
        let place = SegmentDirectory(scratch.path).file(of: 2)
        try Data("theirs".utf8).write(to: URL(filePath: place))
        #expect(throws: StorageError.self) { try worker.make(2) }
        #expect(try String(contentsOfFile: place, encoding: .utf8) == "theirs")
    }

    @Test("a segment replaces its own earlier attempt, which had its name when the disk was full")
    func repeated() throws {
        let scratch = try TemporaryDirectory()
        let (worker, epoch) = try worker(in: scratch)
        let attempt = try worker.make(2)
        let file = try worker.make(2)
        try file.append([1], as: epoch)
        try attempt.close()
        let stored = try Data(contentsOf: URL(filePath: SegmentDirectory(scratch.path).file(of: 2)))
        #expect(stored.count > SegmentFile.headerBytes)
    }

    @Test("a segment is created in place of an earlier attempt that had no room")
    func leftovers() throws {
        let scratch = try TemporaryDirectory()
        let (worker, epoch) = try worker(in: scratch)
        let place = SegmentDirectory(scratch.path).file(of: 2)
        #expect(try GrowingFile(replacing: "\(place).\(epoch).making").append([1]))
        let file = try worker.make(2)
        try file.append([1], as: epoch)
        try file.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).contains("000002.journal"))
    }
}
