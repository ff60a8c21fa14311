public import FleetProtocol

/// The reception of the stream: the controller's epoch, gaps in its sequence numbers, and silence.
struct StreamReception: Sendable {
    private(set) var epoch = Epoch.zero
    private(set) var continuity = StreamContinuity()
    /// The time of the last update, or of the connection; nil without a connection.
    private(set) var receivedAt: MonotonicTime?
    private(set) var isSilent = false
    /// Whether an update of this epoch was received since the connection was last lost. A connection for
    /// pulls does not imply a subscription, and updates published before the subscription are lost.
    private(set) var isSubscribed = false

    var position: StreamPosition { StreamPosition(epoch: epoch, sequence: continuity.newest) }

    /// The time at which the stream counts as silent; nil if it does already, or without a connection.
    var silenceDue: MonotonicTime? { isSilent ? nil : receivedAt?.advanced(by: Limits.staleAfter) }

    /// Begins to wait for the first update of a new connection.
    mutating func connect(at now: MonotonicTime) {
        receivedAt = now
        isSilent = false
    }

    /// Ends the subscription with the connection.
    mutating func disconnect() {
        receivedAt = nil
        isSubscribed = false
    }

    /// Enters another epoch, in which sequence numbers restart; returns whether it is the first.
    mutating func enter(_ new: Epoch) -> Bool {
        defer { epoch = new }
        continuity = StreamContinuity()
        isSubscribed = false
        return epoch == .zero
    }

    mutating func receive(_ update: StreamUpdate, at now: MonotonicTime) -> StreamContinuity.Relation {
        (receivedAt, isSilent, isSubscribed) = (now, false, true)
        return update.body == .beat
            ? continuity.receiveBeat(update.sequence) : continuity.receive(update.sequence)
    }

    /// Begins a snapshot; returns false if updates between its first chunk and the stream are missing.
    mutating func begin(at sequence: StreamSequence) -> Bool { continuity.begin(at: sequence) }

    /// Detects silence; returns whether the stream has become silent.
    mutating func detectSilence(at now: MonotonicTime) -> Bool {
        guard let silenceDue, silenceDue <= now else { return false }
        isSilent = true
        return true
    }

    mutating func restore(_ continuity: StreamContinuity, receivedAt: MonotonicTime) {
        (self.continuity, self.receivedAt) = (continuity, receivedAt)
    }
}

/// A position in an account's stream; it orders the updates in time.
public struct StreamPosition: Hashable, Comparable, Sendable {
    /// The controller's start number.
    public let epoch: Epoch
    /// The sequence number of the newest update at that position.
    public let sequence: StreamSequence

    /// The position before the first update of the first controller.
    public static let zero = StreamPosition(epoch: .zero, sequence: .zero)

    /// The position after that update of that epoch.
    public init(epoch: Epoch, sequence: StreamSequence) { (self.epoch, self.sequence) = (epoch, sequence) }

    /// Whether the left position is earlier; all positions of a later epoch are later.
    public static func < (left: StreamPosition, right: StreamPosition) -> Bool {
        (left.epoch, left.sequence) < (right.epoch, right.sequence)
    }
}

/// Detects, within one epoch, whether snapshot and stream together are complete. It depends on the range of
/// the stream that was received without a gap, and on the position of the newest snapshot's first chunk,
/// before which no updates are needed.
package struct StreamContinuity: Sendable {
    /// The relation of an update to those before it.
    enum Relation: Equatable {
        /// The update is the next one, or the first.
        case next
        case repeated
        /// Updates before it are missing.
        case gap
    }

    /// The first sequence number of the range received without a gap.
    package private(set) var receivedFrom: StreamSequence?
    /// The last sequence number of that range.
    package private(set) var received: StreamSequence?
    /// The position of the newest snapshot's first chunk; nil without a valid snapshot.
    package private(set) var base: StreamSequence?

    init() {}

    package init(receivedFrom: StreamSequence?, received: StreamSequence?, base: StreamSequence?) {
        (self.receivedFrom, self.received, self.base) = (receivedFrom, received, base)
    }

    var newest: StreamSequence { max(received ?? .zero, base ?? .zero) }

    /// Receives an update other than a heartbeat.
    mutating func receive(_ sequence: StreamSequence) -> Relation {
        if let received, sequence <= received { return .repeated }
        let follows = received.map { sequence == $0.next } ?? false
        let isCovered = base.map { sequence <= $0.next } ?? (received == nil)
        if !follows { receivedFrom = sequence }
        received = sequence
        guard follows || isCovered else {
            base = nil
            return .gap
        }
        return .next
    }

    /// Receives a heartbeat, which repeats the last update's sequence number.
    mutating func receiveBeat(_ sequence: StreamSequence) -> Relation {
        if let received, sequence <= received { return .repeated }
        let isCovered = base.map { sequence <= $0 } ?? (received == nil)
        receivedFrom = sequence.next
        received = sequence
        guard isCovered else {
            base = nil
            return .gap
        }
        return .next
    }

    /// Begins a snapshot at the position of its first chunk; returns whether the received updates continue
    /// from there.
    mutating func begin(at sequence: StreamSequence) -> Bool {
        if let receivedFrom, receivedFrom > sequence.next { return false }
        base = sequence
        return true
    }
}
