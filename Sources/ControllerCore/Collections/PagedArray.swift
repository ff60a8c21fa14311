import FleetProtocol
import HeapModule
import Stepping

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

/// A dictionary that grows a small part at a time, so that it never holds up the loop.
///
/// One dictionary of a million keys takes hundreds of milliseconds to move into twice the room; a thousandth
/// of them takes a thousandth of that, and the parts do it at different moments.
struct ShardedDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A power of two.
    private static var shardCount: Int { 1_024 }
    /// How many keys are in one part: moving them takes microseconds, and a table of few keys stays small.
    private static var undividedCount: Int { 256 }

    private var shards: [[Key: Value]] = [[:]]
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// How many keys the fullest part has.
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

    /// Makes room in every part for its share, and for what chance adds to it.
    mutating func reserveCapacity(_ capacity: Int) {
        guard capacity > Self.undividedCount else { return }
        divide()
        let share = capacity / Self.shardCount
        for index in shards.indices { shards[index].reserveCapacity(share + share / 4) }
    }

    /// Makes many parts of one.
    private mutating func divide() {
        guard shards.count == 1 else { return }
        let undivided = shards[0]
        shards = [[Key: Value]](repeating: [:], count: Self.shardCount)
        for (key, value) in undivided { shards[shard(of: key)][key] = value }
    }

    /// By bits that the parts themselves do not go by: they use the lowest.
    private func shard(of key: Key) -> Int {
        key.hashValue >> 40 & (shards.count - 1)
    }
}

/// Keys of requests in the order of their ids' times, second by second: no step moves more than one second's.
struct OldestFirst: Sendable {
    /// A request's key; of ids of one millisecond the same is always the older, in whatever order they came.
    private struct Age: Comparable, Sendable {
        let key: RequestKey

        static func < (left: Age, right: Age) -> Bool {
            left.key.id == right.key.id ? left.key.account < right.key.account : left.key.id < right.key.id
        }
    }

    private var seconds = Heap<Int64>()
    private var bySecond: [Int64: Heap<Age>] = [:]

    /// The key with the oldest id, which is asked for each turn and seldom another; nil when there is none.
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

    private static func second(of key: RequestKey) -> Int64 {
        key.id.time.unixMilliseconds / 1_000
    }
}
