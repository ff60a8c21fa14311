import FleetProtocol

/// The place of a live request; the generation distinguishes it from former requests at the same place.
struct RequestSlot: Hashable, Sendable {
    private let bits: UInt32
    let generation: UInt32

    init(index: Int, generation: UInt32) { (bits, self.generation) = (UInt32(index), generation) }
    var index: Int { Int(bits) }
}

/// Every request that has not ended, found by its key or its slot.
struct RequestTable: Sendable {
    /// The generation is raised when the request ends.
    private struct Place: Sendable {
        var generation: UInt32
        var request: LiveRequest
    }

    private var places: [Place] = []
    private var free: [Int] = []
    private var slots = SlotTable()
    /// The hash key, which differs in each process, so that no client can choose IDs that collide.
    private let seed = UInt64(truncatingIfNeeded: 0.hashValue)

    var count: Int { slots.count }

    func slot(of key: RequestKey) -> RequestSlot? {
        slots.slot(of: key.hash(seed)) { places[$0].request.key == key }.map {
            RequestSlot(index: $0, generation: places[$0].generation)
        }
    }

    /// Adds a request, whose key must be new.
    @inline(__always)
    mutating func insert(_ request: consuming LiveRequest) -> RequestSlot {
        let slot: RequestSlot
        let key = request.key
        precondition(self.slot(of: key) == nil, "request \(key.id) admitted twice")
        if let index = free.popLast() {
            slot = RequestSlot(index: index, generation: places[index].generation)
            places[index].request = consume request
        } else {
            slot = RequestSlot(index: places.count, generation: 0)
            places.append(Place(generation: 0, request: consume request))
        }
        slots.insert(slot.index, of: key.hash(seed))
        return slot
    }

    mutating func end(_ slot: RequestSlot) {
        precondition(isLive(slot), "no live request at slot \(slot.index)")
        slots.remove(slot.index, of: places[slot.index].request.key.hash(seed))
        places[slot.index].request.state = .ended
        places[slot.index].generation &+= 1
        free.append(slot.index)
    }

    @inline(__always)
    func isLive(_ slot: RequestSlot) -> Bool { places[slot.index].generation == slot.generation }

    @inline(__always)
    subscript(slot: RequestSlot) -> LiveRequest {
        _read {
            precondition(isLive(slot), "no live request at slot \(slot.index)")
            yield places[slot.index].request
        }
    }

    @inline(__always)
    mutating func update<Result>(_ slot: RequestSlot, _ change: (inout LiveRequest) -> Result) -> Result {
        precondition(isLive(slot), "no live request at slot \(slot.index)")
        return change(&places[slot.index].request)
    }
}
