import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Containers of a million outcomes")
struct EndedRequestsRoomTests {
    private func keys(_ count: Int, over time: Duration, seed: UInt64 = 1) -> [RequestKey] {
        var generator = SeededGenerator(seed: seed)
        let start = Bench.start
        return (0..<count).map { index in
            let at = start.advanced(by: time * index / count)
            return RequestKey(account: AccountIndex(index % 3), id: RequestID(at: at, using: &generator))
        }
    }

    @Test("a slot table finds the inserted slots without the removed ones, also for equal hashes")
    func slots() {
        var generator = SeededGenerator(seed: 3)
        var table = SlotTable()
        // Few different hashes, so that most keys have neighbors with the same one.
        let hashes = (0..<2_000).map { _ in UInt32.random(in: 0..<64, using: &generator) << 20 }
        var kept: Set<Int> = []
        for _ in 0..<10_000 {
            let slot = Int.random(in: 0..<2_000, using: &generator)
            if kept.remove(slot) == nil {
                table.insert(slot, of: hashes[slot])
                kept.insert(slot)
            } else {
                table.remove(slot, of: hashes[slot])
            }
        }
        #expect(table.count == kept.count)
        for slot in 0..<2_000 {
            let found = table.slot(of: hashes[slot]) { $0 == slot }
            #expect(found == (kept.contains(slot) ? slot : nil))
        }
    }

    @Test("IDs that a client chose for an equal hash have different hashes")
    func chosenKeys() {
        var generator = SeededGenerator(seed: 5)
        // With a hash of `low ^ high * factor`, all of these would have the same one.
        let factor: UInt64 = 0x9e37_79b9_7f4a_7c15
        let keys = (0..<10_000).map { _ in
            let high = UInt64.random(in: 0 ... .max, using: &generator)
            return RequestKey(account: 0, id: RequestID(high: high, low: 42 ^ (high &* factor)))
        }
        for seed in [0, 1, UInt64.max] { #expect(Set(keys.map { $0.hash(seed) }).count > 9_990) }
        let connections = keys.map { ConnectionID(high: $0.id.high, low: $0.id.low) }
        #expect(Set(connections.map { $0.hash(7) }).count > 9_990)
    }

    @Test("places are found by key without the removed ones, and their count", arguments: [10, 0])
    func places(seconds: Int) {
        // All in one second: more than one table.
        let keys = keys(60_000, over: .seconds(seconds))
        var places = EndedPlaces()
        var table: [RequestKey?] = keys
        for (place, key) in keys.enumerated() { places.insert(place, of: key) }
        for (place, key) in keys.prefix(30_000).enumerated() {
            table[place] = nil
            places.remove(key)
        }
        #expect(places.count == 30_000)
        for (place, key) in keys.enumerated() {
            let found = places.place(of: key) { table[$0] == key }
            #expect(found == (place < 30_000 ? nil : place))
        }
        places.replace(59_999, of: keys[59_999], by: 7)
        table[7] = keys[59_999]
        #expect(places.place(of: keys[59_999]) { table[$0] == keys[59_999] } == 7)
    }

    @Test("a key is found at a place that a removed key of the same second had")
    func reusedPlace() {
        let keys = keys(3, over: .zero)
        var places = EndedPlaces()
        places.insert(0, of: keys[0])
        places.insert(1, of: keys[1])
        places.remove(keys[0])
        places.insert(0, of: keys[2])
        #expect(places.place(of: keys[2]) { $0 == 0 } == 0)
        #expect(places.place(of: keys[0]) { _ in false } == nil)
    }

    @Test("keys are removed in the order of their IDs, regardless of the order of insertion")
    func order() {
        var generator = SeededGenerator(seed: 7)
        let keys = keys(5_000, over: .seconds(20))
        var queue = OldestFirst()
        for key in keys.shuffled(using: &generator) { queue.insert(key) }
        var left: [RequestKey] = []
        while let key = queue.min {
            left.append(key)
            queue.removeMin()
        }
        #expect(left == keys.sorted { $0.id < $1.id })
    }
}
