import FleetProtocol
import FleetTime
import Testing

@testable import ControllerCore

@Suite("Containers of a million outcomes")
struct EndedRequestsRoomTests {
    private func keys(_ count: Int, over time: Duration, seed: UInt64 = 1) -> [RequestKey] {
        var generator = SeededGenerator(seed: seed)
        let start = WallTime(unixMilliseconds: 1_800_000_000_000)
        return (0..<count).map { index in
            let at = start.advanced(by: time * index / count)
            return RequestKey(
                account: AccountIndex(index % 3), id: RequestID(at: at, using: &generator))
        }
    }

    @Test("a sharded dictionary has the inserted values without the removed ones, and their count")
    func dictionary() {
        var dictionary = ShardedDictionary<RequestKey, Int>()
        let keys = keys(10_000, over: .seconds(10))
        for (index, key) in keys.enumerated() { #expect(dictionary.updateValue(index, forKey: key) == nil) }
        #expect(dictionary.updateValue(-1, forKey: keys[5]) == 5)
        for key in keys.prefix(5_000) { dictionary.removeValue(forKey: key) }
        dictionary.removeValue(forKey: keys[0])
        #expect(dictionary.count == 5_000)
        #expect(keys.prefix(5_000).allSatisfy { dictionary[$0] == nil })
        #expect(keys.indices.dropFirst(5_000).allSatisfy { dictionary[keys[$0]] == $0 })
    }

    @Test("no shard of the dictionary exceeds its share by much, so that none takes long to grow")
    func shares() {
        var dictionary = ShardedDictionary<RequestKey, Int>()
        for key in keys(200_000, over: .seconds(10)) { _ = dictionary.updateValue(0, forKey: key) }
        // 195 on average; a shard with twice as many is 14 standard deviations away.
        #expect(dictionary.largestShard < 390)
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
