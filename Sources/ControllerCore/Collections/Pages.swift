/// Values at places that never move, a page of them at a time.
///
/// To grow takes one more page: nothing is copied, however many there are, so no step is held up by it. A
/// page is never given back.
struct Pages<Element: Sendable>: Sendable {
    /// A value's place.
    typealias Place = Int32

    /// Values of one page.
    private static var pageSize: Int { 1_024 }

    private var pages: [[Element?]] = []
    private var free: [Place] = []

    /// Takes a value in.
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

    /// Takes the value at a place out; the place is the next one's.
    mutating func remove(at place: Place) {
        precondition(
            pages[Int(place) / Self.pageSize][Int(place) % Self.pageSize] != nil, "nothing at place \(place)")
        pages[Int(place) / Self.pageSize][Int(place) % Self.pageSize] = nil
        free.append(place)
    }

    /// How many places there are, those where nothing is included.
    var placeCount: Int { pages.last.map { (pages.count - 1) * Self.pageSize + $0.count } ?? 0 }

    /// The value at a place; nil where nothing is.
    func element(at place: Place) -> Element? {
        pages[Int(place) / Self.pageSize][Int(place) % Self.pageSize]
    }

    /// The value at a place.
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

    /// Changes the value at a place, in place.
    mutating func update(_ place: Place, _ change: (inout Element) -> Void) {
        var element = self[place]
        change(&element)
        self[place] = element
    }
}
