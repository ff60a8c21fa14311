import ControllerCore
import FleetProtocol

/// A key with a number by which it differs from most others.
protocol Numbered: Equatable {
    var number: UInt64 { get }
}

/// Values by key, in the order in which the keys came; nothing is ever taken out.
///
/// A ledger looks something up some ten times a step. A dictionary withstands whoever chooses keys that fall
/// on one place, and takes several times as long for it: nobody does here.
struct Book<Key: Numbered, Value> {
    private(set) var keys: [Key] = []
    private var values: [Value] = []
    /// Places of keys, each plus one, where the key's number leads or the next that was free.
    ///
    /// 0 where there is none. A power of two, of which half is free.
    private var table = [Int32](repeating: 0, count: 16)

    var count: Int { keys.count }

    /// The value at a place, where it stands.
    subscript(place: Int) -> Value {
        _read { yield values.span[place] }
        _modify { yield &values[place] }
    }

    /// A key's value; nil where there is none.
    subscript(key: Key) -> Value? {
        place(of: key).map { values[$0] }
    }

    /// A key's value, where it stands; one that is not there is put there first.
    subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
        _read { yield self[key] ?? value() }
        _modify { yield &values[place(of: key, default: value())] }
    }

    func contains(_ key: Key) -> Bool { place(of: key) != nil }

    /// Where a key's value stands; nil where there is none.
    func place(of key: Key) -> Int? {
        let found = table[slot(of: key)]
        return found == 0 ? nil : Int(found) - 1
    }

    /// Where a key's value stands; one that is not there is put there.
    mutating func place(of key: Key, default value: @autoclosure () -> Value) -> Int {
        var slot = slot(of: key)
        if table[slot] != 0 { return Int(table[slot]) - 1 }
        keys.append(key)
        values.append(value())
        if 2 * keys.count > table.count {
            grow()
            slot = self.slot(of: key)
        }
        table[slot] = Int32(keys.count)
        return keys.count - 1
    }

    /// Where the table has a key, or would have it.
    private func slot(of key: Key) -> Int {
        let mask = table.count - 1
        // Multiplicative hashing (Knuth, volume 3, section 6.4), by the golden ratio.
        var slot = Int(truncatingIfNeeded: (key.number &* 0x9e37_79b9_7f4a_7c15) >> 32) & mask
        while table[slot] != 0, keys[Int(table[slot]) - 1] != key { slot = (slot + 1) & mask }
        return slot
    }

    /// The last key is not in the table yet.
    private mutating func grow() {
        table = [Int32](repeating: 0, count: 2 * table.count)
        for place in keys.indices.dropLast() { table[slot(of: keys[place])] = Int32(place + 1) }
    }
}

extension DeviceID: Numbered {
    var number: UInt64 { bits }
}

extension ConnectionID: Numbered {
    var number: UInt64 { low }
}

extension Int: Numbered {
    var number: UInt64 { UInt64(bitPattern: Int64(self)) }
}

extension UInt64: Numbered {
    var number: UInt64 { self }
}

extension CommandIdentity: Numbered {
    var number: UInt64 { requestID.low ^ sequence.value }
}
