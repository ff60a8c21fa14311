public import FleetProtocol

/// A position in one account's stream, which is the age of what it wrote.
public struct StreamPosition: Hashable, Comparable, Sendable {
    /// The controller's start number.
    public let epoch: Epoch
    /// The newest update at that position.
    public let sequence: StreamSequence

    /// Before the first update of the first controller.
    public static let zero = StreamPosition(epoch: .zero, sequence: .zero)

    /// The position after that update of that epoch.
    public init(epoch: Epoch, sequence: StreamSequence) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// Whether the first is earlier; every position of a later epoch is later.
    public static func < (left: StreamPosition, right: StreamPosition) -> Bool {
        (left.epoch, left.sequence) < (right.epoch, right.sequence)
    }
}

/// Whether, within one epoch, snapshot and stream together leave nothing out.
///
/// Two facts decide it: the stretch of the stream that was heard without a gap, and the position of the
/// newest snapshot's first chunk, before which nothing is needed from the stream.
package struct StreamContinuity: Sendable {
    /// What an update means for the whole.
    enum Verdict: Equatable {
        /// It follows on, or nothing was known before.
        case next
        /// It was heard before.
        case repeated
        /// Something before it is missing.
        case gap
    }

    /// The first sequence of the stretch that was heard without a gap.
    package private(set) var heardFrom: StreamSequence?
    /// The last of that stretch.
    package private(set) var heard: StreamSequence?
    /// Where the newest snapshot began; nil while none holds.
    package private(set) var base: StreamSequence?

    /// Nothing heard, and no snapshot.
    init() {}

    /// What another came to.
    package init(heardFrom: StreamSequence?, heard: StreamSequence?, base: StreamSequence?) {
        self.heardFrom = heardFrom
        self.heard = heard
        self.base = base
    }

    /// The newest sequence known of.
    var newest: StreamSequence { max(heard ?? .zero, base ?? .zero) }

    /// Takes an update that is not a beat.
    mutating func hear(_ sequence: StreamSequence) -> Verdict {
        if let heard, sequence <= heard { return .repeated }
        let follows = heard.map { sequence == $0.next } ?? false
        let isCovered = base.map { sequence <= $0.next } ?? (heard == nil)
        if !follows { heardFrom = sequence }
        heard = sequence
        guard follows || isCovered else {
            base = nil
            return .gap
        }
        return .next
    }

    /// Takes a beat, which repeats the last update's sequence.
    mutating func hearBeat(_ sequence: StreamSequence) -> Verdict {
        if let heard, sequence <= heard { return .repeated }
        let isCovered = base.map { sequence <= $0 } ?? (heard == nil)
        heardFrom = sequence.next
        heard = sequence
        guard isCovered else {
            base = nil
            return .gap
        }
        return .next
    }

    /// Takes the position of a snapshot's first chunk: whether what was heard follows on from there.
    mutating func begin(at sequence: StreamSequence) -> Bool {
        if let heardFrom, heardFrom > sequence.next { return false }
        base = sequence
        return true
    }
}
