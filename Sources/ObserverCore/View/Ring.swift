/// The newest of many values, oldest first; when full, the oldest goes.
struct Ring<Element: Sendable>: Sendable {
    /// How many are kept.
    let limit: Int

    private var kept: [Element] = []
    private var oldest = 0

    /// An empty one that keeps that many; room for all is taken with the first.
    init(limit: Int) {
        precondition(limit > 0, "a ring of \(limit) keeps nothing")
        self.limit = limit
    }

    var count: Int { kept.count }
    var isEmpty: Bool { kept.isEmpty }

    mutating func append(_ value: Element) {
        if kept.count < limit {
            if kept.isEmpty { kept.reserveCapacity(limit) }
            kept.append(value)
        } else {
            kept[oldest] = value
            oldest = (oldest + 1) % limit
        }
    }

    /// The newest of them, at most that many, oldest first.
    func newest(_ count: Int) -> [Element] {
        let shown = min(max(0, count), kept.count)
        return (kept.count - shown..<kept.count).map { kept[(oldest + $0) % kept.count] }
    }
}

/// The newest of a few values, oldest first, in the place of whoever has it: it takes no memory of its own.
struct InlineRing<let limit: Int, Element: Sendable>: Sendable {
    private var kept: InlineArray<limit, Element>
    private(set) var count = 0
    private var oldest = 0

    /// An empty one.
    ///
    /// - Parameter filler: What lies where nothing is kept yet; nobody sees it.
    init(filler: Element) {
        precondition(limit > 0, "a ring of \(limit) keeps nothing")
        kept = InlineArray(repeating: filler)
    }

    var isEmpty: Bool { count == 0 }

    mutating func append(_ value: Element) {
        if count < limit {
            kept[count] = value
            count += 1
        } else {
            kept[oldest] = value
            oldest = (oldest + 1) % limit
        }
    }

    /// All of them, oldest first.
    var values: [Element] { (0..<count).map { kept[(oldest + $0) % limit] } }
}
