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
