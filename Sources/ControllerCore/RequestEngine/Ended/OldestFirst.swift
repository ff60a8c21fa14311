import FleetProtocol
import FleetTime
import HeapModule

/// Request keys ordered by the time of their IDs, in one heap per second, so that a step moves few keys.
struct OldestFirst: Sendable {
    /// A request's key, ordered by ID and then by account, independent of the order of arrival.
    private struct Age: Comparable, Sendable {
        let key: RequestKey

        static func < (left: Age, right: Age) -> Bool {
            left.key.id == right.key.id ? left.key.account < right.key.account : left.key.id < right.key.id
        }
    }

    private var seconds = Heap<Int64>()
    private var ages = BySecond<Heap<Age>>()

    /// The key with the oldest ID, cached because every turn reads it; nil if the collection is empty.
    private(set) var min: RequestKey?

    mutating func insert(_ key: RequestKey) {
        let second = Self.second(of: key)
        let age = Age(key: key)
        if ages.update(second, { $0.insert(age) }) == nil {
            ages.add([age], of: second)
            seconds.insert(second)
        }
        if min.map({ age < Age(key: $0) }) ?? true { min = key }
    }

    mutating func removeMin() {
        guard let second = seconds.min else { return }
        let next = ages.update(second) { (heap: inout Heap<Age>) -> RequestKey? in
            heap.removeMin()
            return heap.min?.key
        }
        min = next ?? nil
        guard min == nil else { return }
        ages.remove(second, leaving: Heap())
        seconds.removeMin()
        min = seconds.min.flatMap { ages.read($0) { $0.min?.key } ?? nil }
    }

    private static func second(of key: RequestKey) -> Int64 { BySecond<Heap<Age>>.second(of: key.id.time) }
}
