import FleetTime

/// Scheduled events: the earliest first, and those of one instant in the order in which they were scheduled.
///
/// ``FleetTime/Timers`` are designed for the million timers of a controller. Here, some dozens of events are
/// scheduled, and each step adds and removes one. A binary heap of 16-byte keys, with the events in a
/// separate array, was the fastest of the measured structures.
struct EventQueue<Event> {
    /// The number of low bits of a key that hold the event's slot.
    private static var slotBits: Int { 24 }

    /// A binary heap of the keys of scheduled events, and behind it keys of past events with free slots.
    ///
    /// No key is later than its children, at twice its place plus one and plus two. A key has the time in its
    /// upper half. Its lower half has the ordinal of the event, and below it the event's slot. One number is
    /// compared without a branch that the processor would have to predict.
    private var keys: [UInt128] = []
    private var events: [Event] = []
    /// The number of scheduled events, and of all so far.
    private var count = 0
    private var ordinal: UInt64 = 0

    mutating func schedule(_ event: Event, at due: MonotonicTime) {
        if count == keys.count {
            keys.append(UInt128(count))
            events.append(event)
        }
        let slot = Self.slot(of: keys[count])
        events[slot] = event
        let key = UInt128(UInt64(due.nanoseconds)) << 64 | UInt128(ordinal << Self.slotBits | UInt64(slot))
        (count, ordinal) = (count + 1, ordinal + 1)
        let place = count - 1
        var keys = keys.mutableSpan
        Self.siftUp(key, from: place, in: &keys)
    }

    /// Removes and returns the earliest event if it is due by a time.
    mutating func popEarliest(until end: MonotonicTime) -> (event: Event, due: MonotonicTime)? {
        guard count > 0 else { return nil }
        let first = keys[0]
        let due = MonotonicTime(nanoseconds: Int64(first >> 64))
        guard due <= end else { return nil }
        removeFirst()
        return (events[Self.slot(of: first)], due)
    }

    private static func slot(of key: UInt128) -> Int { Int(truncatingIfNeeded: key) & (1 << slotBits - 1) }

    /// Moves the first key behind the heap, and the last key, which mostly is late, near a leaf.
    private mutating func removeFirst() {
        count -= 1
        let count = count
        var keys = keys.mutableSpan
        let (first, last) = (keys[0], keys[count])
        keys[count] = first
        var (hole, next) = (0, 1)
        while next < count {
            if next + 1 < count { next += keys[next + 1] < keys[next] ? 1 : 0 }
            keys[hole] = keys[next]
            (hole, next) = (next, 2 * next + 1)
        }
        if count > 0 { Self.siftUp(last, from: hole, in: &keys) }
    }

    /// Puts a key at a place, and moves later keys above it down.
    private static func siftUp(_ key: UInt128, from place: Int, in keys: inout MutableSpan<UInt128>) {
        var hole = place
        while hole > 0, key < keys[(hole - 1) / 2] {
            keys[hole] = keys[(hole - 1) / 2]
            hole = (hole - 1) / 2
        }
        keys[hole] = key
    }
}
