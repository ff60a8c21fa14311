import ControllerCore
import FleetProtocol
import FleetTime
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("Segments to come")
struct SegmentsToComeTests {
    /// What comes of asking for segments, one after the other: the file, or what is to happen.
    private func take(_ segments: [Int], of toCome: inout SegmentsToCome<String>) -> [String] {
        segments.map { segment in
            let (file, isToBeMade) = toCome.take(segment)
            return file ?? (isToBeMade ? "make" : "wait")
        }
    }

    @Test("are made once, and handed out once")
    func once() {
        var toCome = SegmentsToCome<String>()
        let before = take([2, 2], of: &toCome)
        toCome.noteMade(2, "second")
        let after = take([2, 2], of: &toCome)
        #expect(before == ["make", "wait"])
        #expect(after == ["second", "wait"])
    }

    @Test("are made once more where there was no room for them, and no others are")
    func noRoom() {
        var toCome = SegmentsToCome<String>()
        let before = take([2, 3], of: &toCome)
        toCome.noteNoRoom(for: 2)
        toCome.noteMade(3, "third")
        let after = take([3, 3, 2, 2], of: &toCome)
        #expect(before == ["make", "make"])
        #expect(after == ["third", "wait", "make", "wait"])
    }

    @Test("that nobody took are given back at the end")
    func left() {
        var toCome = SegmentsToCome<String>()
        _ = toCome.take(2)
        toCome.noteMade(2, "second")
        let (first, second) = (toCome.takeLeft(), toCome.takeLeft())
        #expect(first == ["second"])
        #expect(second.isEmpty)
    }

    @Test("are made over what a try left that had no room")
    func leftovers() throws {
        let scratch = try TemporaryDirectory()
        let store = try Store(path: "\(scratch.path)/store.sqlite", durability: .process)
        let epoch = try store.beginEpoch(at: WallTime(unixMilliseconds: 1_800_000_000_000))
        let worker = SegmentWorker(
            directory: scratch.path, epoch: epoch, durability: .process, store: store)
        try SegmentFile.create(at: "\(worker.path(2)).\(epoch).making", for: epoch, .process)
        let file = try worker.make(2)
        try file.append([1], as: epoch)
        try file.close()
    }
}
