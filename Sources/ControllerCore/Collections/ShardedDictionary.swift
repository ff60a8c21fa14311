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
