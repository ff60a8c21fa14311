public import FleetProtocol

/// A place in one account's stream, and so the age of what was learnt there.
public struct StreamPosition: Hashable, Comparable, Sendable {
    /// The controller's start number.
    public let epoch: Epoch
    /// The newest update at that place.
    public let sequence: StreamSequence

    /// Before the first update of the first controller.
    public static let zero = StreamPosition(epoch: .zero, sequence: .zero)

    /// The place after that update of that epoch.
    public init(epoch: Epoch, sequence: StreamSequence) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// Whether the first is earlier; any place of a later epoch is later.
    public static func < (left: StreamPosition, right: StreamPosition) -> Bool {
        (left.epoch, left.sequence) < (right.epoch, right.sequence)
    }
}
