import FleetProtocol

/// A client that waits for a reply: its connection, and the correlation number of the reply.
struct Waiter: Sendable {
    let connection: ConnectionID
    let correlation: UInt64
}

/// A client that cancelled and waits for the device's result until a deadline.
struct CancelWaiter: Sendable {
    let waiter: Waiter
    let deadline: MonotonicTime
}

/// At most ``Limits/waiters`` waiters; the usual single one needs no allocation.
struct Waiters: Sendable {
    private var first: Waiter?
    private var others: [Waiter] = []

    init(_ first: Waiter? = nil) { self.first = first }

    /// Adds a waiter; returns false if there are too many.
    mutating func join(_ waiter: Waiter) -> Bool {
        guard first != nil else {
            first = waiter
            return true
        }
        guard others.count + 1 < Limits.waiters else { return false }
        others.append(waiter)
        return true
    }

    /// Calls the body with each waiter in the order of arrival.
    @inline(__always)
    func forEach(_ body: (Waiter) -> Void) {
        if let first { body(first) }
        if !others.isEmpty { others.forEach(body) }
    }

    /// Removes all waiters, calling the body with each in the order of arrival.
    mutating func drain(_ body: (Waiter) -> Void) {
        if let first { body(first) }
        others.forEach(body)
        first = nil
        others = []
    }
}
