import ControllerCore
import FleetProtocol

/// A key with a number that differs from that of most other keys.
protocol NumberedKey: Equatable {
    var number: UInt64 { get }
}

// Speed: see performance.md, "tables".
/// A hash table whose entries keep the order of their insertion and are never removed.
struct HashTable<Key: NumberedKey, Value> {
    private(set) var keys: [Key] = []
    private var values: [Value] = []
    /// The index of each key plus one, at the slot of the key's hash or at the next free one.
    ///
    /// 0 marks a free slot. The size is a power of two, and at least half of the slots are free.
    private var slots = [Int32](repeating: 0, count: 16)

    var count: Int { keys.count }

    subscript(index: Int) -> Value {
        _read { yield values.span[index] }
        _modify { yield &values[index] }
    }

    subscript(key: Key) -> Value? {
        index(of: key).map { values[$0] }
    }

    /// The value of a key, accessed in place; a write to an unknown key inserts the default first.
    subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
        _read { yield self[key] ?? value() }
        _modify { yield &values[index(of: key, default: value())] }
    }

    func contains(_ key: Key) -> Bool { index(of: key) != nil }

    func index(of key: Key) -> Int? {
        let found = slots[slot(of: key)]
        return found == 0 ? nil : Int(found) - 1
    }

    /// The index of a key, which is inserted with the default if it is not in the table.
    mutating func index(of key: Key, default value: @autoclosure () -> Value) -> Int {
        var slot = slot(of: key)
        if slots[slot] != 0 { return Int(slots[slot]) - 1 }
        keys.append(key)
        values.append(value())
        if 2 * keys.count > slots.count {
            grow()
            slot = self.slot(of: key)
        }
        slots[slot] = Int32(keys.count)
        return keys.count - 1
    }

    private func slot(of key: Key) -> Int {
        let mask = slots.count - 1
        // Multiplicative hashing (Knuth, volume 3, section 6.4), by the golden ratio.
        var slot = Int(truncatingIfNeeded: (key.number &* 0x9e37_79b9_7f4a_7c15) >> 32) & mask
        while slots[slot] != 0, keys[Int(slots[slot]) - 1] != key { slot = (slot + 1) & mask }
        return slot
    }

    /// Doubles the slots; the last key has no slot yet.
    private mutating func grow() {
        slots = [Int32](repeating: 0, count: 2 * slots.count)
        for index in keys.indices.dropLast() { slots[slot(of: keys[index])] = Int32(index + 1) }
    }
}

extension DeviceID: NumberedKey {
    var number: UInt64 { bits }
}

extension ConnectionID: NumberedKey {
    var number: UInt64 { low }
}

extension Int: NumberedKey {
    var number: UInt64 { UInt64(bitPattern: Int64(self)) }
}

extension UInt64: NumberedKey {
    var number: UInt64 { self }
}

extension CommandIdentity: NumberedKey {
    var number: UInt64 { requestID.low ^ commandNumber.value }
}

/// An array whose elements are read and changed in place; an array returns a copy to its reader.
struct InPlaceArray<Element>: RandomAccessCollection {
    var elements: [Element] = []

    var startIndex: Int { 0 }
    var endIndex: Int { elements.count }

    // Speed: see performance.md, "accessors".
    /// The element at an index, accessed in place; calls that throw or branch use `elements`.
    subscript(index: Int) -> Element {
        _read { yield elements.span[index] }
        _modify { yield &elements[index] }
    }

    mutating func append(_ element: consuming Element) { elements.append(element) }

    mutating func remove(at index: Int) { elements.remove(at: index) }
}
