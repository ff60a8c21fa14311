import FleetTime

/// What happens when: the earliest first, and of one moment in the order in which it was set.
///
/// ``FleetTime/Timers`` are made for the million timers of a machine. Here some dozens wait, and one is set
/// and taken with each step: a heap of short keys is the fastest, with the events beside it.
struct Agenda<Event> {
    private struct Key {
        /// So many low bits of a rank are the event's place.
        static var placeBits: UInt64 { 24 }

        let due: MonotonicTime
        /// How many were set before, and behind that the event's place.
        let rank: UInt64

        var place: Int { Int(rank & (1 << Self.placeBits - 1)) }

        static func < (left: Key, right: Key) -> Bool {
            left.due == right.due ? left.rank < right.rank : left.due < right.due
        }
    }

    /// A binary heap: none is later than those at twice its place, plus one and plus two.
    private var keys: [Key] = []
    private var events: [Event] = []
    private var free: [Int] = []
    private var count: UInt64 = 0

    mutating func set(_ event: Event, at due: MonotonicTime) {
        let place = free.popLast() ?? events.count
        if place == events.count { events.append(event) } else { events[place] = event }
        let key = Key(due: due, rank: count << Key.placeBits | UInt64(place))
        count += 1
        var hole = keys.count
        keys.append(key)
        while hole > 0, key < keys[(hole - 1) / 2] {
            keys[hole] = keys[(hole - 1) / 2]
            hole = (hole - 1) / 2
        }
        keys[hole] = key
    }

    /// Takes the earliest out if it is due until then, and says when.
    mutating func popEarliest(until end: MonotonicTime) -> (event: Event, due: MonotonicTime)? {
        guard let first = keys.first, first.due <= end, let last = keys.popLast() else { return nil }
        if !keys.isEmpty { putFirst(last) }
        free.append(first.place)
        return (events[first.place], first.due)
    }

    /// Puts a key where the first was, and those before it up.
    private mutating func putFirst(_ key: Key) {
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
