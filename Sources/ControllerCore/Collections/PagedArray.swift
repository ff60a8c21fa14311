/// An array in pages of fixed size. Growth allocates one page and copies nothing, so a large array never
/// delays a step.
struct PagedArray<Element: Sendable>: Sendable, RandomAccessCollection, MutableCollection {
    /// The number of values in a page; a power of two, so that indexing needs no division.
    private static var pageSize: Int { 1_024 }

    private var pages: [[Element]] = []
    private(set) var count = 0

    var startIndex: Int { 0 }
    var endIndex: Int { count }

    subscript(place: Int) -> Element {
        get { pages[place / Self.pageSize][place % Self.pageSize] }
        _modify { yield &pages[place / Self.pageSize][place % Self.pageSize] }
    }

    mutating func append(_ element: Element) {
        if count % Self.pageSize == 0 {
            var page: [Element] = []
            page.reserveCapacity(Self.pageSize)
            pages.append(page)
        }
        pages[pages.count - 1].append(element)
        count += 1
    }
}

/// A slot table in pages of fixed size: values have places that never move. Growth allocates one page and
/// copies nothing, so a large table never delays a step. Pages are never freed.
struct Pages<Element: Sendable>: Sendable {
    typealias Place = Int32

    private static var pageSize: Int { 1_024 }

    private var pages: [[Element?]] = []
    private var free: [Place] = []

    mutating func insert(_ element: consuming Element) -> Place {
        if let place = free.popLast() {
            pages[Int(place) / Self.pageSize][Int(place) % Self.pageSize] = element
            return place
        }
        if pages.last.map({ $0.count == Self.pageSize }) ?? true {
            var page: [Element?] = []
            page.reserveCapacity(Self.pageSize)
            pages.append(page)
        }
        let last = pages.count - 1
        pages[last].append(element)
        return Place(last * Self.pageSize + pages[last].count - 1)
    }

    /// Removes the value at a place, which the next inserted value reuses.
    mutating func remove(at place: Place) {
        precondition(
            pages[Int(place) / Self.pageSize][Int(place) % Self.pageSize] != nil, "nothing at place \(place)")
        pages[Int(place) / Self.pageSize][Int(place) % Self.pageSize] = nil
        free.append(place)
    }

    /// The number of places, including empty ones.
    var placeCount: Int { pages.last.map { (pages.count - 1) * Self.pageSize + $0.count } ?? 0 }

    func element(at place: Place) -> Element? {
        pages[Int(place) / Self.pageSize][Int(place) % Self.pageSize]
    }

    subscript(place: Place) -> Element {
        get {
            guard let element = pages[Int(place) / Self.pageSize][Int(place) % Self.pageSize] else {
                preconditionFailure("nothing at place \(place)")
            }
            return element
        }
        set {
            precondition(element(at: place) != nil, "nothing at place \(place)")
            pages[Int(place) / Self.pageSize][Int(place) % Self.pageSize] = newValue
        }
    }

    /// Reads from the value at a place without copying it.
    @inline(__always)
    func read<Value>(_ place: Place, _ body: (borrowing Element) -> Value) -> Value {
        guard let value = readIfPresent(Int(place), body) else {
            preconditionFailure("nothing at place \(place)")
        }
        return value
    }

    /// Reads from the value at a place without copying it; nil if the place is empty.
    @inline(__always)
    func readIfPresent<Value>(_ place: Int, _ body: (borrowing Element) -> Value) -> Value? {
        switch pages[place / Self.pageSize][place % Self.pageSize] {
        case let element?: body(element)
        case nil: nil
        }
    }

    mutating func update(_ place: Place, _ change: (inout Element) -> Void) {
        var element = self[place]
        change(&element)
        self[place] = element
    }
}
