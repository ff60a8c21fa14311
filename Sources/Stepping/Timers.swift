import HeapModule

/// What a machine wants to be told of later, earliest first.
///
/// Nothing is ever taken out early: whoever set a timer looks, when it fires,
/// whether it still means anything. Timers of the same moment fire in the order
/// in which they were set, so a run repeats exactly.
public struct Timers<Event: Sendable>: Sendable {
    private struct Entry: Comparable, Sendable {
        let due: MonotonicTime
        let order: UInt64
        let event: Event

        static func < (left: Entry, right: Entry) -> Bool {
            (left.due, left.order) < (right.due, right.order)
        }

        static func == (left: Entry, right: Entry) -> Bool {
            left.order == right.order
        }
    }

    private var heap = Heap<Entry>()
    private var nextOrder: UInt64 = 0

    /// No timers.
    public init() {}

    /// How many are set.
    public var count: Int { heap.count }

    /// When the earliest fires; nil when none is set.
    public var nextDue: MonotonicTime? { heap.min?.due }

    /// Sets one.
    public mutating func set(_ event: Event, at due: MonotonicTime) {
        heap.insert(Entry(due: due, order: nextOrder, event: event))
        nextOrder += 1
    }

    /// Takes the earliest out if its moment has come.
    public mutating func popDue(at now: MonotonicTime) -> Event? {
        guard let first = heap.min, first.due <= now else { return nil }
        return heap.popMin()?.event
    }
}
