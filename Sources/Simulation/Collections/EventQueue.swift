import FleetProtocol

// Speed: see performance.md, "tables".
/// Scheduled events: the earliest first, and those of one instant in the order in which they were scheduled.
struct EventQueue<Event> {
    private struct Entry {
        let due: MonotonicTime
        let event: Event
    }

    /// The latest first; of one instant, the last scheduled first.
    private var entries: [Entry] = []

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

    mutating func popEarliest(until end: MonotonicTime) -> (event: Event, due: MonotonicTime)? {
        guard let first = entries.last, first.due <= end else { return nil }
        entries.removeLast()
        return (first.event, first.due)
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
