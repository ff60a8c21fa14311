import FleetProtocol

/// Whether, within one epoch, snapshot and stream together leave nothing out.
///
/// Two facts decide it: the stretch of the stream that was heard without a gap, and the position of the
/// newest snapshot's first chunk, before which nothing is needed from the stream.
struct StreamContinuity: Sendable {
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
    private(set) var heardFrom: StreamSequence?
    /// The last of that stretch.
    private(set) var heard: StreamSequence?
    /// Where the newest snapshot began; nil while none holds.
    private(set) var base: StreamSequence?

    /// Nothing heard, and no snapshot.
    init() {}

    /// What another came to.
    init(heardFrom: StreamSequence?, heard: StreamSequence?, base: StreamSequence?) {
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
