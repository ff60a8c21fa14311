/// Things by numbered places, which are used again.
struct Shelf<Thing> {
    private var things: [Thing?] = []
    private var free: [Int] = []

    /// Puts one into a free place, and says which.
    mutating func put(_ thing: consuming Thing) -> Int {
        guard let place = free.popLast() else {
            things.append(thing)
            return things.count - 1
        }
        things[place] = thing
        return place
    }

    /// Takes out what lies in a place.
    ///
    /// - Precondition: Something does.
    mutating func take(_ place: Int) -> Thing {
        guard let taken = things[place].take() else { preconditionFailure("place \(place) is empty") }
        free.append(place)
        return taken
    }
}
