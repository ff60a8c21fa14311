import FleetProtocol

/// The slots of keys that are stored elsewhere, found by hash: open addressing with linear probing. An entry
/// has 32 bits of its key's hash, so a lookup reads almost no other key than the right one, and growth reads
/// none. It takes 11 to 21 bytes for each key.
struct SlotTable: Sendable {
    private static let fewestEntries = 8

    /// A power of two of entries, or none; 0 is a free entry, others are the hash and the slot plus one.
    private var entries: [UInt64] = []
    private(set) var count = 0

    /// The slot of the key with a hash for which the closure returns true; nil without one.
    @inline(__always)
    func slot(of hash: UInt32, where isMatch: (Int) -> Bool) -> Int? {
        place(of: hash, where: isMatch).map { Self.slot(of: entries[$0]) }
    }

    /// Adds a slot, whose key must be new.
    @inline(__always)
    mutating func insert(_ slot: Int, of hash: UInt32) {
        if 4 * (count + 1) > 3 * entries.count { grow() }
        Self.put(UInt64(hash) << 32 | UInt64(slot + 1), into: &entries)
        count += 1
    }

    mutating func replace(_ slot: Int, of hash: UInt32, by other: Int) {
        guard let place = place(of: hash, where: { $0 == slot }) else { return }
        entries[place] = UInt64(hash) << 32 | UInt64(other + 1)
    }

    /// Removes a slot; entries after it move up, so that a lookup finds them before a free entry.
    mutating func remove(_ slot: Int, of hash: UInt32) {
        guard var gap = place(of: hash, where: { $0 == slot }) else { return }
        let mask = entries.count - 1
        entries[gap] = 0
        count -= 1
        var place = (gap + 1) & mask
        while entries[place] != 0 {
            let home = Int(truncatingIfNeeded: entries[place] >> 32) & mask
            if (place - home) & mask >= (place - gap) & mask {
                entries.swapAt(gap, place)
                gap = place
            }
            place = (place + 1) & mask
        }
    }

    @inline(__always)
    private func place(of hash: UInt32, where isMatch: (Int) -> Bool) -> Int? {
        guard count > 0 else { return nil }
        let mask = entries.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while entries[place] != 0 {
            let entry = entries[place]
            if UInt32(truncatingIfNeeded: entry >> 32) == hash, isMatch(Self.slot(of: entry)) { return place }
            place = (place + 1) & mask
        }
        return nil
    }

    private mutating func grow() {
        var larger = [UInt64](repeating: 0, count: max(Self.fewestEntries, 2 * entries.count))
        for entry in entries where entry != 0 { Self.put(entry, into: &larger) }
        entries = larger
    }

    @inline(__always)
    private static func put(_ entry: UInt64, into entries: inout [UInt64]) {
        let mask = entries.count - 1
        var place = Int(truncatingIfNeeded: entry >> 32) & mask
        while entries[place] != 0 { place = (place + 1) & mask }
        entries[place] = entry
    }

    @inline(__always)
    private static func slot(of entry: UInt64) -> Int { Int(truncatingIfNeeded: entry & 0xffff_ffff) - 1 }
}

/// A key with a cheap hash.
protocol WordHashed: Equatable, Sendable {
    /// The key's hash; the seed differs in each process, so that no client can choose keys that collide.
    func hash(_ seed: UInt64) -> UInt32
}

extension WordHashed {
    /// The hash of two words. The first is mixed with the seed before the second is added: of a sum that is
    /// known without the seed, a client could choose both words for the same one.
    @inline(__always)
    static func hash(_ first: UInt64, _ second: UInt64, _ seed: UInt64) -> UInt32 {
        let mixed = SeededGenerator.mixed(SeededGenerator.mixed(first ^ seed) ^ second)
        return UInt32(truncatingIfNeeded: mixed >> 32)
    }
}

// Speed: see performance.md, "tables".
/// A dictionary of keys with cheap hashes, whose values are read and changed in place.
///
/// A removed value stays in memory until another takes its place.
struct WordTable<Key: WordHashed, Value: Sendable>: Sendable {
    private struct Item: Sendable {
        let key: Key
        var value: Value
    }

    private var slots = SlotTable()
    private var items: [Item] = []
    private var free: [Int] = []
    private let seed = UInt64(truncatingIfNeeded: 0.hashValue)

    /// The place of a key's value, valid until the key is removed; nil without one.
    @inline(__always)
    func place(of key: Key) -> Int? { slots.slot(of: key.hash(seed)) { items[$0].key == key } }

    @inline(__always)
    subscript(place place: Int) -> Value {
        _read { yield items[place].value }
        _modify { yield &items[place].value }
    }

    subscript(key: Key) -> Value? {
        @inline(__always) get { place(of: key).map { items[$0].value } }
        set {
            guard let place = place(of: key) else {
                if let newValue { insert(newValue, of: key) }
                return
            }
            if let newValue {
                items[place].value = newValue
            } else {
                slots.remove(place, of: key.hash(seed))
                free.append(place)
            }
        }
    }

    private mutating func insert(_ value: Value, of key: Key) {
        let item = Item(key: key, value: value)
        let place: Int
        if let former = free.popLast() {
            (place, items[former]) = (former, item)
        } else {
            place = items.count
            items.append(item)
        }
        slots.insert(place, of: key.hash(seed))
    }
}

extension RequestKey: WordHashed {
    /// The account changes the seed, because a word that it changes could be chosen to have the same value.
    @inline(__always)
    func hash(_ seed: UInt64) -> UInt32 {
        let account = UInt64(UInt32(bitPattern: account)) &* 0x9e37_79b9_7f4a_7c15
        return Self.hash(id.high, id.low, seed &+ account)
    }
}

extension TokenDigest: WordHashed {
    /// SHA-256 has mixed the bits, so one word is enough.
    @inline(__always)
    func hash(_ seed: UInt64) -> UInt32 { Self.hash(words[0], 0, seed) }
}

extension ConnectionID: WordHashed {
    @inline(__always)
    func hash(_ seed: UInt64) -> UInt32 { Self.hash(high, low, seed) }
}

extension BootID: WordHashed {
    @inline(__always)
    func hash(_ seed: UInt64) -> UInt32 { Self.hash(bits, 0, seed) }
}
