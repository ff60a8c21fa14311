import FleetProtocol

// Speed: see performance.md, "tables".
/// The virtual time, and the events that are due later: the earliest first, and those of one instant in the
/// order in which they were scheduled.
struct EventQueue<Event> {
    private struct Entry {
        let due: MonotonicTime
        let event: Event
    }

    private let start: Moment
    private(set) var now: Moment
    /// The number of events that ``next(until:)`` has returned.
    private(set) var steps = 0
    /// The latest first; of one instant, the last scheduled first.
    private var entries: [Entry] = []

    init(from start: Moment) { (self.start, now) = (start, start) }

    mutating func schedule(_ event: Event, after delay: Duration) {
        schedule(event, at: now.monotonic.advanced(by: delay))
    }

    mutating func schedule(_ event: Event, at due: MonotonicTime) {
        let entry = Entry(due: due, event: event)
        var place = entries.count
        entries.append(entry)
        var entries = entries.mutableSpan
        while place > 0, entries[place - 1].due <= due {
            entries[place] = entries[place - 1]
            place -= 1
        }
        entries[place] = entry
    }

    /// Removes and returns the earliest event, and sets the time to when it is due; nil, at that end, if none
    /// is due by then.
    mutating func next(until end: MonotonicTime) -> Event? {
        guard let first = entries.last, first.due <= end else {
            setTime(to: end)
            return nil
        }
        entries.removeLast()
        setTime(to: max(first.due, now.monotonic))
        steps += 1
        return first.event
    }

    private mutating func setTime(to time: MonotonicTime) {
        let elapsed = time.nanoseconds / 1_000_000
        now = Moment(monotonic: time, wall: WallTime(unixMilliseconds: start.wall.unixMilliseconds + elapsed))
    }
}

/// Elements in numbered slots, which are reused.
struct SlotMap<Element> {
    private var elements: [Element?] = []
    private var free: [Int] = []

    mutating func insert(_ element: consuming Element) -> Int {
        guard let slot = free.popLast() else {
            elements.append(element)
            return elements.count - 1
        }
        elements[slot] = element
        return slot
    }

    mutating func remove(at slot: Int) -> Element {
        guard let element = elements[slot].take() else { preconditionFailure("slot \(slot) is empty") }
        free.append(slot)
        return element
    }
}
