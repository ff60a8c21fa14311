/// The newest of many values, oldest first; when full, the oldest goes.
struct Ring<Element: Sendable>: Sendable {
    /// How many are kept.
    let limit: Int

    private var kept: [Element] = []
    private var oldest = 0

    /// An empty one that keeps that many; room is taken as values come.
    init(limit: Int) {
        precondition(limit > 0, "a ring of \(limit) keeps nothing")
        self.limit = limit
    }

    var count: Int { kept.count }
    var isEmpty: Bool { kept.isEmpty }

    mutating func append(_ value: Element) {
        if kept.count < limit {
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
