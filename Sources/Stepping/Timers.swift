public import HeapModule

/// What a machine wants to be told of later, earliest first.
///
/// Nothing is ever taken out early: whoever set a timer looks, when it fires,
/// whether it still means anything. Timers of the same moment fire in the order
/// in which they were set, so a run repeats exactly. All of it can be inlined, so
/// that each machine has it made for its own events.
public struct Timers<Event: Sendable>: Sendable {
    @usableFromInline
    struct Entry: Comparable, Sendable {
        @usableFromInline let due: MonotonicTime
        @usableFromInline let order: UInt64
        @usableFromInline let event: Event

        @inlinable
        init(due: MonotonicTime, order: UInt64, event: Event) {
            self.due = due
            self.order = order
            self.event = event
        }

        @inlinable
        static func < (left: Entry, right: Entry) -> Bool {
            (left.due, left.order) < (right.due, right.order)
        }

        @inlinable
        static func == (left: Entry, right: Entry) -> Bool {
            left.order == right.order
        }
    }

    @usableFromInline var heap = Heap<Entry>()
    @usableFromInline var nextOrder: UInt64 = 0

    /// No timers.
    @inlinable
    public init() {}

    /// How many are set.
    @inlinable
    public var count: Int { heap.count }

    /// When the earliest fires; nil when none is set.
    @inlinable
    public var nextDue: MonotonicTime? { heap.min?.due }

    /// Sets one.
    @inlinable
    public mutating func set(_ event: Event, at due: MonotonicTime) {
        heap.insert(Entry(due: due, order: nextOrder, event: event))
        nextOrder += 1
    }

    /// Takes the earliest out if its moment has come.
    @inlinable
    public mutating func popDue(at now: MonotonicTime) -> Event? {
        guard let first = heap.min, first.due <= now else { return nil }
        return heap.popMin()?.event
    }
}
