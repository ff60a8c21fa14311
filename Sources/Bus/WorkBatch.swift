/// Work taken from the mailbox, run in order and a limited number at a time.
struct WorkBatch {
    /// The work, of which what lies before `next` is done.
    private(set) var items: [Work] = []
    private var next = 0

    /// Whether there is nothing left to run.
    var isEmpty: Bool { next == items.count }

    /// Takes all that waits, in exchange for the emptied array of the last batch.
    ///
    /// - Precondition: The batch is empty.
    mutating func refill(from queue: inout [Work]) {
        precondition(isEmpty, "the batch still holds work")
        items.removeAll(keepingCapacity: items.capacity <= Self.reusedCapacity)
        next = 0
        swap(&items, &queue)
    }

    /// The next piece of work; nil when all is done.
    mutating func popFirst() -> Work? {
        guard !isEmpty else { return nil }
        // Taken out, so that whoever runs it lets go of it: not this value while it is being changed, nor the
        // mailbox under its lock.
        let work = items[next]
        items[next] = .done
        next += 1
        return work
    }

    /// Room kept from batch to batch; more is given back, so that one burst does not cost memory for ever.
    private static let reusedCapacity = 4_096
}
