/// A ring buffer of the newest values, oldest first; when full, a new value overwrites the oldest.
struct Ring<Element: Sendable>: Sendable {
    let limit: Int

    private var elements: [Element] = []
    private var oldest = 0

    /// An empty ring of that capacity; the first value allocates the memory for all.
    init(limit: Int) {
        precondition(limit > 0, "invalid size: \(limit)")
        self.limit = limit
    }

    var count: Int { elements.count }

    /// All values, oldest first, in at most two parts that share the ring's memory.
    var parts: [ArraySlice<Element>] { [elements[oldest...], elements[..<oldest]] }

    /// Adds a value; returns the value that it overwrites, if the ring is full.
    @discardableResult
    mutating func append(_ value: Element) -> Element? {
        guard elements.count == limit else {
            if elements.isEmpty { elements.reserveCapacity(limit) }
            elements.append(value)
            return nil
        }
        let overwritten = elements[oldest]
        elements[oldest] = value
        oldest = (oldest + 1) % limit
        return overwritten
    }

    /// Returns the newest values, at most that many, oldest first.
    func newest(_ count: Int) -> [Element] {
        let shown = min(max(0, count), elements.count)
        return (elements.count - shown..<elements.count).map { elements[(oldest + $0) % elements.count] }
    }
}

extension Ring: Equatable where Element: Equatable {}

/// A ring buffer of a few values, oldest first, that is stored inline and allocates no memory of its own.
struct InlineRing<let limit: Int, Element: Sendable>: Sendable {
    private var elements: InlineArray<limit, Element>
    private(set) var count = 0
    private var oldest = 0

    /// An empty ring; its unused slots have the filler, which is never returned.
    init(filler: Element) {
        precondition(limit > 0, "invalid size: \(limit)")
        elements = InlineArray(repeating: filler)
    }

    var isEmpty: Bool { count == 0 }

    mutating func append(_ value: Element) {
        if count < limit {
            elements[count] = value
            count += 1
        } else {
            elements[oldest] = value
            oldest = (oldest + 1) % limit
        }
    }

    /// All values, oldest first.
    var values: [Element] { (0..<count).map { elements[(oldest + $0) % limit] } }
}
