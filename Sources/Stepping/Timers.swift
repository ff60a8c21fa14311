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

    /// Each in the order of its entries.
    @usableFromInline var queues = [Deque<Entry>](repeating: Deque(), count: 3)
    /// Whatever no queue could take at its end.
    @usableFromInline var heap = Heap<Entry>()
    @usableFromInline var nextOrder: UInt64 = 0

    /// No timers.
    @inlinable
    public init() {}

    /// How many are set.
    @inlinable
    public var count: Int { queues.reduce(heap.count) { $0 + $1.count } }

    /// When the earliest fires; nil when none is set.
    @inlinable
    public var nextDue: MonotonicTime? { earliest?.entry.due }

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
        if let queue = best?.queue ?? free {
            queues[queue].append(entry)
        } else {
            heap.insert(entry)
        }
    }

    /// Takes the earliest out if its moment has come.
    @inlinable
    public mutating func popDue(at now: MonotonicTime) -> Event? { popEarliest(until: now)?.event }

    /// Takes the earliest out if it fires until then, and says when.
    @inlinable
    public mutating func popEarliest(until end: MonotonicTime) -> (event: Event, due: MonotonicTime)? {
        guard let (entry, queue) = earliest, entry.due <= end else { return nil }
        if let queue { queues[queue].removeFirst() } else { heap.removeMin() }
        return (entry.event, entry.due)
    }

    /// The first of all, and the queue that it heads; nil where it is the heap's.
    @inlinable
    var earliest: (entry: Entry, queue: Int?)? {
        var first: (entry: Entry, queue: Int?)? = heap.min.map { ($0, nil) }
        for index in queues.indices {
            guard let head = queues[index].first else { continue }
            if first.map({ head < $0.entry }) ?? true { first = (head, index) }
        }
        return first
    }
}
