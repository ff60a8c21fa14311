import DequeModule
import FleetProtocol

/// The newest values of each device, in room that does not grow with the fleet.
///
/// Every device keeps as many as all others, so few devices keep many and many keep few. Its table apart, it
/// holds ``total`` values at most, a little more while the fleet grows: a device that has more than its share
/// gives the oldest up when it takes the next.
struct FairRings<Value: Sendable>: Sendable {
    /// Values that one device keeps at most.
    private let most: Int
    /// Values that all of them keep together.
    private let total: Int
    private var rings: [DeviceID: Deque<Value>] = [:]

    init(most: Int, total: Int) {
        precondition(most > 0 && total >= most, "invalid sizes: \(most) values per ring, \(total) in all")
        (self.most, self.total) = (most, total)
    }

    /// How many each device keeps: one at least.
    var share: Int { max(1, min(most, total / max(1, rings.count))) }

    /// How many there are.
    var count: Int { rings.values.reduce(0) { $0 + $1.count } }

    mutating func append(_ value: Value, to device: DeviceID) {
        let isNew = rings[device] == nil
        if isNew { rings[device] = Deque() }
        let share = share
        rings[device]?.append(value, keeping: share)
    }

    /// Inserts a value behind the newest one that is earlier, or as the oldest where none is.
    ///
    /// A device that has its share keeps its newest values, and may not take this one.
    mutating func insert(_ value: Value, to device: DeviceID, behind isEarlier: (Value) -> Bool) {
        let place = (rings[device]?.lastIndex(where: isEarlier) ?? -1) + 1
        rings[device, default: Deque()].insert(value, at: place)
        let excess = (rings[device]?.count ?? 0) - share
        if excess > 0 { rings[device]?.removeFirst(excess) }
    }

    mutating func remove(_ device: DeviceID) { rings[device] = nil }

    /// A device's values, oldest first.
    subscript(device: DeviceID) -> Deque<Value> { rings[device] ?? Deque() }

    /// Changes the newest of a device's values for which that can be done.
    ///
    /// - Parameter change: Whether it changed that value.
    /// - Returns: Whether one was changed.
    @discardableResult
    mutating func updateNewest(of device: DeviceID, _ change: (inout Value) -> Bool) -> Bool {
        guard let count = rings[device]?.count else { return false }
        for place in (0..<count).reversed() where rings[device, default: Deque()].update(place, change) {
            return true
        }
        return false
    }
}

extension Deque {
    fileprivate mutating func append(_ value: Element, keeping share: Int) {
        let excess = count + 1 - share
        if excess > 1 {
            // Its room goes with them.
            self = Deque(suffix(share - 1))
        } else if excess == 1 {
            removeFirst()
        }
        append(value)
    }

    fileprivate mutating func update(_ place: Int, _ change: (inout Element) -> Bool) -> Bool {
        change(&self[place])
    }
}
