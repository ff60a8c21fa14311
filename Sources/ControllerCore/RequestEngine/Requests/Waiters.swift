import FleetProtocol
import Stepping

/// Who waits for an answer: a connection, and the number that the answer must carry.
struct Waiter: Sendable {
    let connection: ConnectionID
    let correlation: UInt64
}

/// One who cancelled and waits for the device's word until some moment.
struct CancelWaiter: Sendable {
    let waiter: Waiter
    let deadline: MonotonicTime
}

/// At most ``Limits/waiters`` of them, the usual single one without an allocation.
struct Waiters: Sendable {
    private var first: Waiter?
    private var others: [Waiter] = []

    init(_ first: Waiter? = nil) {
        self.first = first
    }

    /// Lets one more wait; false when there are too many.
    mutating func join(_ waiter: Waiter) -> Bool {
        guard first != nil else {
            first = waiter
            return true
        }
        guard others.count + 1 < Limits.waiters else { return false }
        others.append(waiter)
        return true
    }

    /// Empties it, calling each in the order of arrival.
    mutating func drain(_ body: (Waiter) -> Void) {
        if let first { body(first) }
        others.forEach(body)
        first = nil
        others = []
    }
}
