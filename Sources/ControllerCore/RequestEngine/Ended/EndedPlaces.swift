import FleetProtocol
import HeapModule

// Speed: see performance.md, "tables".
/// The places of ended requests, found by their keys: a table for each second of their IDs.
struct EndedPlaces: Sendable {
    /// The ended requests with IDs of one second.
    private struct Second: Sendable {
        /// Tables that are full, and the last one, so that none takes long to grow.
        var tables: [SlotTable]
        /// The number of requests; the tables also have slots of removed ones.
        var count: Int

        @inline(__always)
        mutating func insert(_ place: Int, of hash: UInt32) {
            count += 1
            if tables[tables.count - 1].count == keysPerTable { tables.append(SlotTable()) }
            tables[tables.count - 1].insert(place, of: hash)
        }
    }

    /// The number of keys in a table, beyond which another begins: its growth takes a fraction of a
    /// millisecond.
    private static let keysPerTable = 49_152

    private var seconds = BySecond<Second>()
    private(set) var count = 0
    /// The hash key, which differs in each process, so that no client can choose IDs that collide.
    private let seed = UInt64(truncatingIfNeeded: 0.hashValue)

    var isEmpty: Bool { count == 0 }

    /// The place of a key, at which `isMatch` returns true; a place may also be empty.
    @inline(__always)
    func place(of key: RequestKey, where isMatch: (Int) -> Bool) -> Int? {
        let hash = key.hash(seed)
        return seconds.read(Self.second(of: key)) { (second: borrowing Second) -> Int? in
            for index in second.tables.indices {
                if let place = second.tables[index].slot(of: hash, where: isMatch) { return place }
            }
            return nil
        } ?? nil
    }

    /// Adds the place of a key, which must be new.
    @inline(__always)
    mutating func insert(_ place: Int, of key: RequestKey) {
        let second = Self.second(of: key)
        let hash = key.hash(seed)
        count += 1
        let isKnown: Void? = seconds.update(second) { $0.insert(place, of: hash) }
        guard isKnown == nil else { return }
        var first = Second(tables: [SlotTable()], count: 0)
        first.insert(place, of: hash)
        seconds.add(first, of: second)
    }

    mutating func replace(_ place: Int, of key: RequestKey, by other: Int) {
        let hash = key.hash(seed)
        _ = seconds.update(Self.second(of: key)) { second in
            for index in second.tables.indices { second.tables[index].replace(place, of: hash, by: other) }
        }
    }

    /// Removes a key. Its slot stays in the table until all requests of the second are removed, because they
    /// are removed one soon after the other; until then, the place is empty or has another key.
    mutating func remove(_ key: RequestKey) {
        let second = Self.second(of: key)
        count -= 1
        let left = seconds.update(second) { (second: inout Second) -> Int in
            second.count -= 1
            return second.count
        }
        if left == 0 { seconds.remove(second, leaving: Second(tables: [], count: 0)) }
    }

    private static func second(of key: RequestKey) -> Int64 { BySecond<Second>.second(of: key.id.time) }
}

/// Values by the second of a time, with the second that was used last at hand. Requests that arrive together
/// have IDs of the same second, so most uses find their value without hashing, and in memory that was used
/// just before.
struct BySecond<Value: Sendable>: Sendable {
    private var values: [Value] = []
    private var free: [Int] = []
    private var places: [Int64: Int] = [:]
    private var last: (second: Int64, place: Int)?

    @inline(__always)
    static func second(of time: WallTime) -> Int64 { time.unixMilliseconds / 1_000 }

    @inline(__always)
    func read<Result>(_ second: Int64, _ body: (borrowing Value) -> Result) -> Result? {
        guard let place = place(of: second) else { return nil }
        return body(values[place])
    }

    @inline(__always)
    mutating func update<Result>(_ second: Int64, _ change: (inout Value) -> Result) -> Result? {
        guard let place = place(of: second) else { return nil }
        last = (second, place)
        return change(&values[place])
    }

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

/// Request keys ordered by the time of their IDs, in one heap per second, so that a step moves few keys.
struct OldestFirst: Sendable {
    /// A request's key, ordered by ID and then by account, independent of the order of arrival.
    private struct Age: Comparable, Sendable {
        let key: RequestKey

        static func < (left: Age, right: Age) -> Bool {
            left.key.id == right.key.id ? left.key.account < right.key.account : left.key.id < right.key.id
        }
    }

    private var seconds = Heap<Int64>()
    private var ages = BySecond<Heap<Age>>()

    /// The key with the oldest ID, cached because every turn reads it; nil if the collection is empty.
    private(set) var min: RequestKey?

    mutating func insert(_ key: RequestKey) {
        let second = Self.second(of: key)
        let age = Age(key: key)
        if ages.update(second, { $0.insert(age) }) == nil {
            ages.add([age], of: second)
            seconds.insert(second)
        }
        if min.map({ age < Age(key: $0) }) ?? true { min = key }
    }

    mutating func removeMin() {
        guard let second = seconds.min else { return }
        let next = ages.update(second) { (heap: inout Heap<Age>) -> RequestKey? in
            heap.removeMin()
            return heap.min?.key
        }
        min = next ?? nil
        guard min == nil else { return }
        ages.remove(second, leaving: Heap())
        seconds.removeMin()
        min = seconds.min.flatMap { ages.read($0) { $0.min?.key } ?? nil }
    }

    private static func second(of key: RequestKey) -> Int64 { BySecond<Heap<Age>>.second(of: key.id.time) }
}
