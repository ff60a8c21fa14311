/// The controller's lives that have not ended; two at most, for there is a second one at times.
struct Lives {
    private var roster = Roster<Life>()

    var count: Int { roster.count }

    /// Their numbers, in their order.
    var numbers: [Int] { roster.indices.map { roster[$0].number }.sorted() }

    /// The life at a place.
    subscript(place: Int) -> Life {
        _read { yield roster[place] }
        _modify { yield &roster[place] }
    }

    /// Where the life of a number is, until another ends; nil when it has ended.
    func place(of number: Int) -> Int? {
        for place in roster.indices where roster[place].number == number { return place }
        return nil
    }

    mutating func begin(_ life: consuming Life) {
        roster.append(life)
    }

    mutating func end(_ number: Int) {
        if let place = place(of: number) { roster.remove(at: place) }
    }
}
