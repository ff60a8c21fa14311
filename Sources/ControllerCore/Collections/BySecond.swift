import FleetTime

/// Values by the second of a time, with the second that was used last at hand.
///
/// Requests that arrive together have IDs of the same second, so most uses find their value without hashing,
/// and in memory that was used just before.
struct BySecond<Value: Sendable>: Sendable {
    private var values: [Value] = []
    private var free: [Int] = []
    private var places: [Int64: Int] = [:]
    private var last: (second: Int64, place: Int)?

    /// The second of a time.
    @inline(__always)
    static func second(of time: WallTime) -> Int64 { time.unixMilliseconds / 1_000 }

    /// Reads from the value of a second without copying it; nil if there is none.
    @inline(__always)
    func read<Result>(_ second: Int64, _ body: (borrowing Value) -> Result) -> Result? {
        guard let place = place(of: second) else { return nil }
        return body(values[place])
    }

    /// Changes the value of a second in place; returns nil if it has none.
    @inline(__always)
    mutating func update<Result>(_ second: Int64, _ change: (inout Value) -> Result) -> Result? {
        guard let place = place(of: second) else { return nil }
        last = (second, place)
        return change(&values[place])
    }

    /// Sets the value of a second that has none.
    mutating func add(_ value: Value, of second: Int64) {
        let place: Int
        if let former = free.popLast() {
            place = former
            values[place] = value
        } else {
            place = values.count
            values.append(value)
        }
        places[second] = place
        last = (second, place)
    }

    /// Removes the value of a second; `empty` takes its place.
    mutating func remove(_ second: Int64, leaving empty: Value) {
        guard let place = places.removeValue(forKey: second) else { return }
        values[place] = empty
        free.append(place)
        last = nil
    }

    @inline(__always)
    private func place(of second: Int64) -> Int? {
        if let last, last.second == second { return last.place }
        return places[second]
    }
}
