public import FleetReplica

/// The last of what was told live, so that whoever was away for a moment goes on where they were.
///
/// Each batch says what changed after the one before it, up to a place in the stream. Whoever names a place
/// at which a batch ended, in the same life of the controller, gets all that came after; anybody else has to
/// fetch the whole. It holds ``bytesAtMost`` bytes.
public struct LiveTail: Sendable {
    /// Bytes that are held: some seconds of a thousand updates a second.
    public static let bytesAtMost = 4 << 20

    private struct Batch: Sendable {
        let position: StreamPosition
        let bytes: [UInt8]
    }

    private var batches: [Batch] = []
    private var byteCount = 0
    /// The place before the first batch; nil while nobody knows what came before.
    private var start: StreamPosition?
    private let bytesAtMost: Int

    /// A tail that goes back no further than the next batch.
    public init(bytesAtMost: Int = bytesAtMost) {
        self.bytesAtMost = bytesAtMost
    }

    /// Takes what was told up to a place.
    ///
    /// - Parameter isContinuous: Whether it says all that changed since the batch before.
    public mutating func append(_ bytes: [UInt8], upTo position: StreamPosition, isContinuous: Bool) {
        let last = batches.last?.position ?? start
        if !isContinuous || last?.epoch != position.epoch {
            batches = []
            byteCount = 0
            start = position
            return
        }
        batches.append(Batch(position: position, bytes: bytes))
        byteCount += bytes.count
        while byteCount > bytesAtMost, let first = batches.first {
            byteCount -= first.bytes.count
            start = first.position
            batches.removeFirst()
        }
    }

    /// What was told after a place; nil when that cannot be said.
    public func batches(after position: StreamPosition) -> [[UInt8]]? {
        if position == batches.last?.position ?? start { return [] }
        if position == start { return batches.map(\.bytes) }
        guard let place = batches.lastIndex(where: { $0.position == position }) else { return nil }
        return batches[(place + 1)...].map(\.bytes)
    }
}
