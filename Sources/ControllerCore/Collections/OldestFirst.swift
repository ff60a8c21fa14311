import FleetProtocol
import HeapModule
import Stepping

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
