import FleetProtocol

/// The place of a live request; the generation distinguishes it from former requests at the same place.
struct RequestSlot: Hashable, Sendable {
    let index: Int
    let generation: UInt32
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
    private var slots: [RequestKey: RequestSlot] = [:]

    /// The number of live requests.
    var count: Int { slots.count }

    /// The slot of a key, if its request is live.
    func slot(of key: RequestKey) -> RequestSlot? { slots[key] }

    /// Adds a request, whose key must be new.
    mutating func insert(_ request: consuming LiveRequest) -> RequestSlot {
        let slot: RequestSlot
        let key = request.key
        if let index = free.popLast() {
            slot = RequestSlot(index: index, generation: places[index].generation)
            places[index].request = request
        } else {
            slot = RequestSlot(index: places.count, generation: 0)
            places.append(Place(generation: 0, request: request))
        }
        let former = slots.updateValue(slot, forKey: key)
        precondition(former == nil, "request \(key.id) admitted twice")
        return slot
    }

    /// Ends a request, and returns its last value.
    mutating func end(_ slot: RequestSlot) -> LiveRequest {
        precondition(isLive(slot), "no live request at slot \(slot.index)")
        let request = places[slot.index].request
        places[slot.index].request.state = .ended
        places[slot.index].generation &+= 1
        free.append(slot.index)
        slots[request.key] = nil
        return request
    }

    /// Whether the request that the slot was created for is still live.
    @inline(__always)
    func isLive(_ slot: RequestSlot) -> Bool { places[slot.index].generation == slot.generation }

    /// The live request at a slot.
    @inline(__always)
    subscript(slot: RequestSlot) -> LiveRequest {
        _read {
            precondition(isLive(slot), "no live request at slot \(slot.index)")
            yield places[slot.index].request
        }
    }

    /// Changes the live request at a slot, in place.
    @inline(__always)
    mutating func update<Result>(_ slot: RequestSlot, _ change: (inout LiveRequest) -> Result) -> Result {
        precondition(isLive(slot), "no live request at slot \(slot.index)")
        return change(&places[slot.index].request)
    }
}
