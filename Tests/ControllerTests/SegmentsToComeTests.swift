import ControllerCore
import FleetProtocol
import FleetTime
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

    @Test("a segment is created in place of an earlier attempt that had no room")
    func leftovers() throws {
        let scratch = try TemporaryDirectory()
        let store = try Store(path: "\(scratch.path)/store.sqlite", durability: .process)
        let epoch = try store.beginEpoch(at: WallTime(unixMilliseconds: 1_800_000_000_000))
        let worker = SegmentWorker(
            directory: scratch.path, epoch: epoch, durability: .process, store: store)
        let place = SegmentDirectory(scratch.path).newFile(of: 2)
        #expect(try GrowingFile(replacing: "\(place).\(epoch).making").append([1]))
        let file = try worker.make(2)
        try file.append([1], as: epoch)
        try file.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).contains("000002.journal"))
    }
}
