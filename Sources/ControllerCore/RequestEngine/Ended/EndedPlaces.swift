import FleetProtocol

/// The places of ended requests, found by their keys.
///
/// There is a table for each second of the IDs. New requests have IDs of the present second, so the lookup of
/// a new ID and the insertion of an outcome touch memory that was used just before; one table for a million
/// outcomes would be far away in memory.
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
    /// The number of ended requests.
    private(set) var count = 0
    /// The hash key, which differs in each process, so that no client can choose IDs that collide.
    private let seed = UInt64(truncatingIfNeeded: 0.hashValue)

    var isEmpty: Bool { count == 0 }

    /// The place of a key.
    ///
    /// - Parameter isMatch: Whether the request at a place, which may be empty, has the key.
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

    /// Replaces the place of a key by another.
    mutating func replace(_ place: Int, of key: RequestKey, by other: Int) {
        let hash = key.hash(seed)
        _ = seconds.update(Self.second(of: key)) { second in
            for index in second.tables.indices { second.tables[index].replace(place, of: hash, by: other) }
        }
    }

    /// Removes a key.
    ///
    /// Its slot stays in the table until all requests of the second are removed, because they are removed one
    /// soon after the other; until then, the place is empty or has another key.
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
