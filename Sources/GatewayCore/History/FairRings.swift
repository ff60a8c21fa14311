import DequeModule
import FleetProtocol

/// The newest values of each device, in memory that does not grow with the fleet.
///
/// All devices have the same share, so that a small fleet keeps many values per device and a large one few.
/// The rings hold ``total`` values at most, slightly more while the fleet grows: a device above its share
/// drops its oldest values when it gets the next one.
struct FairRings<Value: Sendable>: Sendable {
    private let most: Int
    private let total: Int
    private var rings: [DeviceID: Deque<Value>] = [:]

    init(most: Int, total: Int) {
        precondition(most > 0 && total >= most, "invalid sizes: \(most) values per ring, \(total) in all")
        (self.most, self.total) = (most, total)
    }

    /// The share of each device, at least one value.
    var share: Int { max(1, min(most, total / max(1, rings.count))) }

    var count: Int { rings.values.reduce(0) { $0 + $1.count } }

    mutating func append(_ value: Value, to device: DeviceID) {
        if rings[device] == nil { rings[device] = Deque() }
        let share = share
        rings[device]?.append(value, retaining: share)
    }

    /// Inserts a value after the newest earlier one, or as the oldest. A device with a full share keeps its
    /// newest values and may drop this one.
    mutating func insert(_ value: Value, to device: DeviceID, behind isEarlier: (Value) -> Bool) {
        let place = (rings[device]?.lastIndex(where: isEarlier) ?? -1) + 1
        rings[device, default: Deque()].insert(value, at: place)
        let excess = (rings[device]?.count ?? 0) - share
        if excess > 0 { rings[device]?.removeFirst(excess) }
    }

    mutating func remove(_ device: DeviceID) { rings[device] = nil }
    subscript(device: DeviceID) -> Deque<Value> { rings[device] ?? Deque() }

    /// Changes the newest of a device's values that match; returns whether one does.
    mutating func updateNewest(
        of device: DeviceID, where matches: (Value) -> Bool, _ change: (inout Value) -> Void
    ) -> Bool {
        guard let place = rings[device]?.lastIndex(where: matches) else { return false }
        change(&rings[device, default: Deque()][place])
        return true
    }
}

extension Deque {
    fileprivate mutating func append(_ value: Element, retaining share: Int) {
        let excess = count + 1 - share
        if excess > 1 {
            // This also releases the memory.
            self = Deque(suffix(share - 1))
        } else if excess == 1 {
            removeFirst()
        }
        append(value)
    }
}
