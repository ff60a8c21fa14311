/// How many ends each segment of the journal has, and how many of them are remembered.
///
/// A segment can be deleted when each of its ends is forgotten, or written to a later segment as well.
struct EndedBySegment: Sendable {
    private struct Counts: Sendable {
        var written = 0
        var remembered = 0
    }

    /// The newest segment: what ends now is written there, or to a later one.
    private(set) var current: Int32 = 1
    private var newest = Counts()
    private var earlier: [Int32: Counts] = [:]
    /// Over all segments that are there.
    private var total = Counts()
    /// The first needed segment, by the last call of ``firstNeeded()``.
    private var firstTold: Int32 = 1
    /// Whether an earlier segment may be needed no more.
    private var mayHaveRisen = false

    /// Segments before that one are gone.
    mutating func start(at first: Int32) {
        firstTold = max(firstTold, first)
    }

    /// That segment is the newest from now on.
    mutating func begin(_ segment: Int32) {
        guard segment > current else { return }
        if newest.written > 0 { earlier[current] = newest }
        newest = earlier.removeValue(forKey: segment) ?? Counts()
        current = segment
        mayHaveRisen = true
    }

    /// An end is written to a segment, or was read there.
    @inline(__always)
    mutating func wrote(to segment: Int32) {
        change(segment) { $0.written += 1 }
        total.written += 1
    }

    /// A remembered end has its newest copy in a segment.
    @inline(__always)
    mutating func remember(in segment: Int32) {
        change(segment) { $0.remembered += 1 }
        total.remembered += 1
    }

    /// An end is forgotten, or has a newer copy elsewhere.
    @inline(__always)
    mutating func forget(in segment: Int32) {
        change(segment) { $0.remembered -= 1 }
        total.remembered -= 1
    }

    /// The first segment that is needed, if that is another than when it was asked for last.
    mutating func firstNeeded() -> Int? {
        guard mayHaveRisen else { return nil }
        mayHaveRisen = false
        let first = earlier.lazy.filter { $0.value.remembered > 0 }.map(\.key).min() ?? current
        for (segment, counts) in earlier where segment < first {
            total.written -= counts.written
            earlier[segment] = nil
        }
        guard first > firstTold else { return nil }
        firstTold = first
        return Int(first)
    }

    /// The last of those earlier segments that have half of all ends, where forgotten ones are too many.
    ///
    /// - Parameter slack: How many there may be beyond as many as are remembered.
    func toBeEmptied(beyond slack: Int) -> Int32? {
        guard total.written > 2 * total.remembered + slack else { return nil }
        var written = 0
        for segment in earlier.keys.sorted() {
            written += earlier[segment]?.written ?? 0
            if 2 * written >= total.written { return segment }
        }
        return earlier.keys.max()
    }

    @inline(__always)
    private mutating func change(_ segment: Int32, _ change: (inout Counts) -> Void) {
        guard segment != current else { return change(&newest) }
        change(&earlier[segment, default: Counts()])
        mayHaveRisen = true
    }
}
