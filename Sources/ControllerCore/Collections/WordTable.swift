import FleetProtocol
import FleetTime

/// A key with a word from which its hash is made: a part of the key, or a mixture of all of it.
protocol WordHashed: Equatable, Sendable {
    var word: UInt64 { get }
}

extension WordHashed {
    /// The key's hash; the seed differs in each process, so that no client can choose keys that collide.
    @inline(__always)
    func hash(_ seed: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: SeededGenerator.mixed(word ^ seed) >> 32)
    }
}

/// A dictionary of keys that are hashed by one word: a lookup takes a fifth of the time of a `Dictionary`'s,
/// and values are read and changed in place.
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

    init() {}

    /// The place of a key's value, valid until the key is removed; nil without one.
    @inline(__always)
    func place(of key: Key) -> Int? { slots.slot(of: key.hash(seed)) { items[$0].key == key } }

    /// The value at a place.
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
    /// Most of the ID is random, but its client may have chosen it.
    @inline(__always)
    var word: UInt64 {
        id.low ^ (id.high &* 0x9e37_79b9_7f4a_7c15) ^ UInt64(truncatingIfNeeded: account) &<< 32
    }
}

extension TokenDigest: WordHashed {
    /// SHA-256 has mixed the bits.
    @inline(__always)
    var word: UInt64 { words[0] }
}

extension ConnectionID: WordHashed {
    @inline(__always)
    var word: UInt64 { low ^ (high &* 0x9e37_79b9_7f4a_7c15) }
}

extension BootID: WordHashed {
    @inline(__always)
    var word: UInt64 { bits }
}
