public import Stepping

/// Segments whose ends are read after the controller has begun to serve, the newest first.
public struct UnreadSegments: Sendable {
    /// Each without its batches, in the order in which they are to be read.
    public private(set) var segments: [JournalSegment] = []
    /// The newest id in each of them or any after it, in the same order.
    private var newestIDs: [WallTime] = []

    /// Those of some segments that have ends.
    init(_ segments: [JournalSegment]) {
        for segment in segments.sorted(by: { $0.number < $1.number }) {
            guard let newestID = segment.newestID else { continue }
            self.segments.insert(segment, at: 0)
            newestIDs.insert(max(newestID, newestIDs.first ?? newestID), at: 0)
        }
    }

    /// Their numbers, in the order in which they are to be read.
    public var numbers: [Int] { segments.map(\.number) }

    /// The newest id that ended in one of them; nil when there is none.
    public var newestID: WallTime? { newestID(after: 0) }

    /// The newest id that ended in those that are left when some were read; nil when none is left.
    public func newestID(after count: Int) -> WallTime? {
        count < newestIDs.count ? newestIDs[count] : nil
    }
}
