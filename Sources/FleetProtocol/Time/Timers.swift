public import DequeModule
public import HeapModule

// Speed: see performance.md, "tables".
/// The timers of a state machine, earliest first.
///
/// A timer is never removed early: when it fires, its owner checks whether it
/// still applies. Timers of the same time fire in the order in which they were
/// set, so a run repeats exactly. Most timers of a state machine have one of a few
/// delays, and those of one delay are due in the order in which they are set:
/// these wait in queues. Only the others are in a heap, whose operations get
/// slower with its size.
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

    /// The queues, each in the order of its entries.
    @usableFromInline var queues = [Deque<Entry>](repeating: Deque(), count: 3)
    /// The entries that fit at the end of no queue.
    @usableFromInline var heap = Heap<Entry>()
    @usableFromInline var nextOrder: UInt64 = 0
    /// The earliest entry: its time, its place in the order, and the queue that it heads; nil for the heap.
    @usableFromInline var earliest = (due: MonotonicTime.never, order: UInt64.max, queue: Int?.none)

    /// An empty set of timers.
    @inlinable
    public init() {}

    /// The number of timers.
    @inlinable
    public var count: Int { queues.reduce(heap.count) { $0 + $1.count } }

    /// The time at which the earliest timer fires; nil without timers.
    @inlinable
    public var nextDue: MonotonicTime? { earliest.order == .max ? nil : earliest.due }

    /// Sets a timer.
    @inlinable
    public mutating func set(_ event: Event, at due: MonotonicTime) {
        let entry = Entry(due: due, order: nextOrder, event: event)
        nextOrder += 1
        // The queue whose last entry is closest before this one: a much later entry would keep earlier ones
        // out of the queue.
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

    /// Removes and returns the earliest event if its time has come.
    @inlinable
    public mutating func popDue(at now: MonotonicTime) -> Event? { popEarliest(until: now)?.event }

    /// Removes and returns the earliest event, with its time, if it fires by the given time.
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
