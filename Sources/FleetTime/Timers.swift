public import DequeModule
public import HeapModule

/// What a machine wants to be told of later, earliest first.
///
/// Nothing is ever taken out early: whoever set a timer looks, when it fires,
/// whether it still means anything. Timers of the same moment fire in the order
/// in which they were set, so a run repeats exactly. Most timers of a machine have
/// one of a few delays, and those of one delay are due in the order in which they
/// are set: they wait in queues, and only others in a heap, whose every step is
/// slower the more there are. All of it can be inlined, so that each machine has
/// it made for its own events.
public struct Timers<Event: Sendable>: Sendable {
    @usableFromInline
    struct Entry: Comparable, Sendable {
        @usableFromInline let due: MonotonicTime
        @usableFromInline let order: UInt64
        @usableFromInline let event: Event

        @inlinable
        init(due: MonotonicTime, order: UInt64, event: Event) {
            (self.due, self.order, self.event) = (due, order, event)
        }

        @inlinable
        static func < (left: Entry, right: Entry) -> Bool {
            (left.due, left.order) < (right.due, right.order)
        }

        @inlinable
        static func == (left: Entry, right: Entry) -> Bool { left.order == right.order }
    }

    /// Each in the order of its entries.
    @usableFromInline var queues = [Deque<Entry>](repeating: Deque(), count: 3)
    /// Whatever no queue could take at its end.
    @usableFromInline var heap = Heap<Entry>()
    @usableFromInline var nextOrder: UInt64 = 0
    /// Of the earliest, which is asked for far more often than it changes: when it fires, its place in the
    /// order, and the queue that it heads; that is nil where it is the heap's.
    @usableFromInline var earliest = (due: MonotonicTime.never, order: UInt64.max, queue: Int?.none)

    /// No timers.
    @inlinable
    public init() {}

    /// How many are set.
    @inlinable
    public var count: Int { queues.reduce(heap.count) { $0 + $1.count } }

    /// When the earliest fires; nil when none is set.
    @inlinable
    public var nextDue: MonotonicTime? { earliest.order == .max ? nil : earliest.due }

    /// Sets one.
    @inlinable
    public mutating func set(_ event: Event, at due: MonotonicTime) {
        let entry = Entry(due: due, order: nextOrder, event: event)
        nextOrder += 1
        // Where the last is the least earlier: one that is due much later than others would end a queue for
        // them.
        var best: (queue: Int, last: MonotonicTime)?
        var free: Int?
        for index in queues.indices {
            guard let last = queues[index].last?.due else {
                free = free ?? index
                continue
            }
            if last <= due, best.map({ last > $0.last }) ?? true { best = (index, last) }
        }
        let queue = best?.queue ?? free
        if let queue {
            queues[queue].append(entry)
        } else {
            heap.insert(entry)
        }
        if (due, entry.order) < (earliest.due, earliest.order) { earliest = (due, entry.order, queue) }
    }

    /// Takes the earliest out if its moment has come.
    @inlinable
    public mutating func popDue(at now: MonotonicTime) -> Event? { popEarliest(until: now)?.event }

    /// Takes the earliest out if it fires until then, and says when.
    @inlinable
    public mutating func popEarliest(until end: MonotonicTime) -> (event: Event, due: MonotonicTime)? {
        guard earliest.due <= end, earliest.order != .max else { return nil }
        let entry: Entry
        if let queue = earliest.queue {
            entry = queues[queue].removeFirst()
        } else {
            entry = heap.removeMin()
        }
        findEarliest()
        return (entry.event, entry.due)
    }

    /// Looks which is the first of all.
    @inlinable
    mutating func findEarliest() {
        earliest = (.never, .max, nil)
        if let first = heap.min { (earliest.due, earliest.order) = (first.due, first.order) }
        for index in queues.indices {
            guard let first = queues[index].first, (first.due, first.order) < (earliest.due, earliest.order)
            else { continue }
            earliest = (first.due, first.order, index)
        }
    }
}
