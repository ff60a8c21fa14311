/// A dictionary that grows a small part at a time, so that it never holds up the loop.
///
/// One dictionary of a million keys takes hundreds of milliseconds to move into twice the room; a thousandth
/// of them takes a thousandth of that, and the parts do it at different moments.
struct ShardedDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A power of two.
    private static var shardCount: Int { 1_024 }

    private var shards = [[Key: Value]](repeating: [:], count: shardCount)
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// How many keys the fullest part has.
    var largestShard: Int { shards.map(\.count).max() ?? 0 }

    subscript(key: Key) -> Value? { shards[Self.shard(of: key)][key] }

    /// Sets a key's value; returns the former one.
    mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
        let former = shards[Self.shard(of: key)].updateValue(value, forKey: key)
        if former == nil { count += 1 }
        return former
    }

    mutating func removeValue(forKey key: Key) {
        if shards[Self.shard(of: key)].removeValue(forKey: key) != nil { count -= 1 }
    }

    /// Makes room in every part for its share, and for what chance adds to it.
    mutating func reserveCapacity(_ capacity: Int) {
        let share = capacity / Self.shardCount
        guard share > 0 else { return }
        for index in shards.indices { shards[index].reserveCapacity(share + share / 4) }
    }

    /// By bits that the parts themselves do not go by: they use the lowest.
    private static func shard(of key: Key) -> Int {
        key.hashValue >> 40 & (shardCount - 1)
    }
}
