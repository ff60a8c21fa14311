import FleetProtocol

enum RequestState: Sendable {
    /// It has passed all checks, and is in no lane.
    case admitted
    /// It is in its device's lane. `hasAskedForState`: whether its node was asked for the device's state,
    /// because the client knew a newer one.
    case queued(hasAskedForState: Bool)
    /// Its command was sent. The command is sent again until there is a result.
    case dispatched(DispatchPlace)
    /// Its deadline has passed without a result. Its clients got the reply `unknown`; only aborts are sent.
    case overdue(DispatchPlace)
    /// Its cancel is in the journal: only aborts are sent.
    case cancelling(Cancelling)
    case ended

    /// The place of the newest dispatch; nil for a request without one.
    var place: DispatchPlace? {
        @inline(__always) get {
            switch self {
            case .dispatched(let place), .overdue(let place): place
            case .cancelling(let cancelling): cancelling.place
            case .admitted, .queued, .ended: nil
            }
        }
    }

    var isDispatched: Bool {
        switch self {
        case .dispatched, .overdue, .cancelling: true
        case .admitted, .queued, .ended: false
        }
    }

    var isCancelling: Bool { if case .cancelling = self { true } else { false } }

    /// Whether its clients got the reply `unknown`.
    var isOverdue: Bool {
        switch self {
        case .overdue: true
        case .cancelling(let cancelling): cancelling.isOverdue
        case .admitted, .queued, .dispatched, .ended: false
        }
    }

    /// Records that the node is asked for the state of a queued request's device; returns false if it was
    /// asked before.
    mutating func askForState() -> Bool {
        guard case .queued(false) = self else { return false }
        self = .queued(hasAskedForState: true)
        return true
    }

    // MARK: Transitions

    mutating func enqueue() {
        guard case .admitted = self else { preconditionFailure("queued while \(self)") }
        self = .queued(hasAskedForState: false)
    }

    /// The resolved command is sent: for the first time, from another place, or instead of one that was not
    /// carried out.
    @inline(__always)
    mutating func dispatch(at place: DispatchPlace) {
        switch self {
        case .admitted, .queued, .dispatched: self = .dispatched(place)
        case .overdue: self = .overdue(place)
        case .cancelling(var cancelling):
            cancelling.place = place
            self = .cancelling(cancelling)
        case .ended: preconditionFailure("dispatched while \(self)")
        }
    }

    /// The deadline passes; returns false if it has passed before.
    mutating func passDeadline() -> Bool {
        switch self {
        case .dispatched(let place): self = .overdue(place)
        case .cancelling(var cancelling):
            guard !cancelling.isOverdue else { return false }
            cancelling.isOverdue = true
            self = .cancelling(cancelling)
        case .overdue: return false
        case .admitted, .queued, .ended: preconditionFailure("unknown while \(self)")
        }
        return true
    }

    /// The cancel of a dispatched request is in the journal.
    mutating func cancel() {
        switch self {
        case .dispatched(let place): self = .cancelling(Cancelling(place: place))
        case .overdue(let place): self = .cancelling(Cancelling(place: place, isOverdue: true))
        case .cancelling: break
        case .admitted, .queued, .ended: preconditionFailure("cancelled at its device while \(self)")
        }
    }

    // MARK: Clients that cancelled

    /// Adds a client that waits for the outcome of the cancel; returns false if there are too many.
    mutating func join(_ waiter: CancelWaiter) -> Bool {
        guard case .cancelling(var cancelling) = self else {
            preconditionFailure("a cancel waits while \(self)")
        }
        guard cancelling.waiters.count < Limits.waiters else { return false }
        cancelling.waiters.append(waiter)
        self = .cancelling(cancelling)
        return true
    }

    /// Removes the clients whose deadline has passed, and returns them in the order of arrival.
    mutating func removeCancelWaiters(dueAt now: MonotonicTime) -> [Waiter] {
        guard case .cancelling(var cancelling) = self else { return [] }
        let due = cancelling.waiters.filter { $0.deadline <= now }.map(\.waiter)
        cancelling.waiters.removeAll { $0.deadline <= now }
        self = .cancelling(cancelling)
        return due
    }

    var cancelWaiters: [CancelWaiter] {
        if case .cancelling(let cancelling) = self { cancelling.waiters } else { [] }
    }
}

/// A dispatched request whose cancel is in the journal.
struct Cancelling: Sendable {
    var place: DispatchPlace
    var waiters: [CancelWaiter] = []
    /// Whether the deadline has passed: the request's clients got the reply `unknown`.
    var isOverdue = false
}

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

// Speed: see performance.md, "usual values".
/// At most ``Limits/waiters`` waiters.
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

    mutating func drain(_ body: (Waiter) -> Void) {
        if let first { body(first) }
        others.forEach(body)
        first = nil
        others = []
    }
}
