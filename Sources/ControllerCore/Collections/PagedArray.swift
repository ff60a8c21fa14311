/// Values one after the other, a page of them at a time.
///
/// To grow takes one more page: nothing is copied, however many there are, so no step is held up by it.
struct PagedArray<Element: Sendable>: Sendable, RandomAccessCollection, MutableCollection {
    /// Values of one page; a power of two, so that a place is found without dividing.
    private static var pageSize: Int { 1_024 }

    private var pages: [[Element]] = []
    private(set) var count = 0

    init() {}

    var startIndex: Int { 0 }
    var endIndex: Int { count }

    subscript(place: Int) -> Element {
        get { pages[place / Self.pageSize][place % Self.pageSize] }
        _modify { yield &pages[place / Self.pageSize][place % Self.pageSize] }
    }

    /// Puts a value behind the last.
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
