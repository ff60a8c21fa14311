import FleetProtocol
import FleetTime
import HeapModule

/// An array in pages of fixed size.
///
/// Growth allocates one page and copies nothing, so a large array never delays a step.
struct PagedArray<Element: Sendable>: Sendable, RandomAccessCollection, MutableCollection {
    /// The number of values in a page; a power of two, so that indexing needs no division.
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

    /// Appends a value.
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

/// A slot table in pages of fixed size: values have places that never move.
///
/// Growth allocates one page and copies nothing, so a large table never delays a step. Pages are never freed.
struct Pages<Element: Sendable>: Sendable {
    /// A value's place.
    typealias Place = Int32

    /// The number of values in a page.
    private static var pageSize: Int { 1_024 }

    private var pages: [[Element?]] = []
    private var free: [Place] = []

    /// Stores a value and returns its place.
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

    /// The value at a place; nil if the place is empty.
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

/// A hash table in shards that grow one at a time, so that growth never delays the event loop.
///
/// Rehashing a dictionary of a million keys takes hundreds of milliseconds. A shard has about a thousandth of
/// the keys, and the shards grow at different times.
struct ShardedDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The number of shards; a power of two.
    private static var shardCount: Int { 1_024 }
    /// The largest number of keys before the split into shards: moving them takes microseconds.
    private static var undividedCount: Int { 256 }

    private var shards: [[Key: Value]] = [[:]]
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The number of keys in the fullest shard.
    var largestShard: Int { shards.map(\.count).max() ?? 0 }

    subscript(key: Key) -> Value? { shards[shard(of: key)][key] }

    /// Sets a key's value; returns the former one.
    mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
        let former = shards[shard(of: key)].updateValue(value, forKey: key)
        guard former == nil else { return former }
        count += 1
        if count > Self.undividedCount { divide() }
        return nil
    }

    mutating func removeValue(forKey key: Key) {
        if shards[shard(of: key)].removeValue(forKey: key) != nil { count -= 1 }
    }

    /// Reserves each shard's share of the capacity, plus a quarter for uneven hashing.
    mutating func reserveCapacity(_ capacity: Int) {
        guard capacity > Self.undividedCount else { return }
        divide()
        let share = capacity / Self.shardCount
        for index in shards.indices { shards[index].reserveCapacity(share + share / 4) }
    }

    /// Splits the single initial shard.
    private mutating func divide() {
        guard shards.count == 1 else { return }
        let undivided = shards[0]
        shards = [[Key: Value]](repeating: [:], count: Self.shardCount)
        for (key, value) in undivided { shards[shard(of: key)][key] = value }
    }

    /// The shard of a key, from other hash bits than the shards use: a dictionary uses the lowest.
    private func shard(of key: Key) -> Int { key.hashValue >> 40 & (shards.count - 1) }
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
    private var bySecond: [Int64: Heap<Age>] = [:]

    /// The key with the oldest ID, cached because every turn reads it; nil if the collection is empty.
    private(set) var min: RequestKey?

    mutating func insert(_ key: RequestKey) {
        let second = Self.second(of: key)
        if bySecond[second] == nil { seconds.insert(second) }
        bySecond[second, default: Heap()].insert(Age(key: key))
        if min.map({ Age(key: key) < Age(key: $0) }) ?? true { min = key }
    }

    mutating func removeMin() {
        guard let second = seconds.min else { return }
        bySecond[second]?.removeMin()
        if bySecond[second]?.isEmpty ?? true {
            bySecond[second] = nil
            seconds.removeMin()
        }
        min = seconds.min.flatMap { bySecond[$0]?.min?.key }
    }

    private static func second(of key: RequestKey) -> Int64 { key.id.time.unixMilliseconds / 1_000 }
}
