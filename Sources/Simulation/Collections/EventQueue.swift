import FleetTime

/// Scheduled events: the earliest first, and those of one instant in the order in which they were scheduled.
///
/// ``FleetTime/Timers`` are designed for the million timers of a controller. Here, some dozens of events are
/// scheduled, and each step adds and removes one. A binary heap of 16-byte keys, with the events in a
/// separate array, was the fastest of the measured structures.
struct EventQueue<Event> {
    private struct Key {
        /// The number of low bits of a rank that hold the event's slot.
        static var slotBits: UInt64 { 24 }

        let due: MonotonicTime
        /// The ordinal of the event, and below it the event's slot.
        let rank: UInt64

        var slot: Int { Int(rank & (1 << Self.slotBits - 1)) }

        static func < (left: Key, right: Key) -> Bool {
            left.due == right.due ? left.rank < right.rank : left.due < right.due
        }
    }

    /// A binary heap: no key is later than its children, at twice its place plus one and plus two.
    private var keys: [Key] = []
    private var events: [Event] = []
    private var free: [Int] = []
    private var count: UInt64 = 0

    mutating func schedule(_ event: Event, at due: MonotonicTime) {
        let slot = free.popLast() ?? events.count
        if slot == events.count { events.append(event) } else { events[slot] = event }
        let key = Key(due: due, rank: count << Key.slotBits | UInt64(slot))
        count += 1
        var hole = keys.count
        keys.append(key)
        while hole > 0, key < keys[(hole - 1) / 2] {
            keys[hole] = keys[(hole - 1) / 2]
            hole = (hole - 1) / 2
        }
        keys[hole] = key
    }

    /// Removes and returns the earliest event if it is due by a time.
    mutating func popEarliest(until end: MonotonicTime) -> (event: Event, due: MonotonicTime)? {
        guard let first = keys.first, first.due <= end, let last = keys.popLast() else { return nil }
        if !keys.isEmpty { siftDown(last) }
        free.append(first.slot)
        return (events[first.slot], first.due)
    }

    /// Puts a key at the root and moves smaller keys above it.
    private mutating func siftDown(_ key: Key) {
        var hole = 0
        var next = 1
        while next < keys.count {
            if next + 1 < keys.count, keys[next + 1] < keys[next] { next += 1 }
            guard keys[next] < key else { break }
            keys[hole] = keys[next]
            (hole, next) = (next, 2 * next + 1)
        }
        keys[hole] = key
    }
}
