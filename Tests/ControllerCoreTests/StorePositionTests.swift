import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("The position of the store in the journal")
struct StorePositionTests {
    private let medium = MemoryMedium()

    init() { medium.storePosition = Self.position(5) }

    private static func position(
        _ changes: UInt64, onDisk: UInt64 = 3, boot: String = "first"
    ) -> StorePosition { StorePosition(boot: boot, onDisk: onDisk, changes: changes) }

    private func open(segmentBytes: Int = 1 << 20) throws(StorageError) -> Journal<MemoryMedium> {
        var replay = JournalReplay()
        return try Journal(medium, segmentBytes: segmentBytes, at: Bench.start, into: &replay)
    }

    private static let entry = JournalEntry.segmentsRemoved(before: 1)

    private func positions(of segment: Int) throws -> [UInt64] {
        try medium.entries(of: segment).compactMap {
            if case .storeReached(let position) = $0 { position.changes } else { nil }
        }
    }

    @Test("the journal has the position at each start, after each change, in each segment and at the end")
    func written() throws {
        var journal = try open(segmentBytes: 4 * 4_096)
        #expect(try positions(of: 1) == [5] && medium.acceptedStarts == 1)
        try journal.append([Self.entry], open: { [] })
        #expect(try positions(of: 1) == [5])
        medium.storePosition = Self.position(6)
        for _ in 0..<2 { try journal.append([Self.entry], open: { [] }) }
        #expect(try positions(of: 1) == [5, 6])
        #expect(try positions(of: 2) == [6])
        medium.storePosition = Self.position(7)
        journal.finish()
        journal.finish()
        #expect(try positions(of: 2) == [6, 7])
        _ = try open()
        #expect(try positions(of: 2) == [6, 7, 7])
    }

    @Test(
        "a store that is behind its journal is refused, unless a power failure explains it",
        arguments: [
            (position(5), true), (position(9), true), (position(4), false), (position(0), false),
            (position(4, boot: "second"), true), (position(3, boot: "second"), true),
            (position(2, boot: "second"), false),
        ])
    func behind(present: StorePosition, isAccepted: Bool) throws {
        _ = try open()
        medium.storePosition = present
        var refusal: StorageError?
        do throws(StorageError) { _ = try open() } catch { refusal = error }
        #expect((refusal == nil) == isAccepted)
        if case .damaged(let path, _)? = refusal { #expect(path == "store") }
        #expect(medium.acceptedStarts == (isAccepted ? 2 : 1))
    }

    @Test("a store that lost changes with the power is compared with what it had at the next start")
    func afterLoss() throws {
        _ = try open()
        medium.storePosition = Self.position(4, onDisk: 4, boot: "second")
        _ = try open()
        _ = try open()
        medium.storePosition = Self.position(3, onDisk: 3, boot: "second")
        #expect(throws: StorageError.self) { _ = try open() }
    }

    @Test("the journal of a backup may be later than its store, until it has another batch")
    func copies() throws {
        var journal = try open()
        medium.storePosition = Self.position(9)
        try journal.append([Self.entry], open: { [] })
        (medium.isOfCopies, medium.isLossPossible) = (true, true)
        medium.storePosition = Self.position(5)
        let end = medium.end
        journal = try open()
        // The process dies before it has noted the end.
        try medium.record(#require(end))
        _ = try open()
        try medium.record(#require(end))
        medium.storePosition = Self.position(4)
        #expect(throws: StorageError.self) { _ = try open() }
    }

    @Test("a check of copies finds a store that is behind its journal")
    func check() throws {
        var journal = try open()
        try journal.append([Self.entry], open: { [] })
        var check = JournalCheck(against: medium.recordedOutcome())
        check.begin(1)
        try medium.read(1) { (batch) throws(StorageError) in try check.append(batch) }
        #expect(throws: StorageError.self) {
            try check.finish(newest: 1, store: (Self.position(4), "store"), name: { "\($0)" })
        }
        let end = try check.finish(newest: 1, store: (Self.position(5), "store"), name: { "\($0)" })
        #expect(end == medium.end)
    }

    @Test("a start on a full disk leaves the position to the next batch")
    func fullDisk() throws {
        _ = try open()
        medium.isFull = true
        medium.storePosition = Self.position(6)
        var journal = try open()
        #expect(throws: StorageError.self) { try journal.append([Self.entry], open: { [] }) }
        medium.isFull = false
        try journal.append([Self.entry], open: { [] })
        #expect(try positions(of: 1) == [5, 6])
    }
}
