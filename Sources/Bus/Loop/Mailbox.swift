/// The queue of work that other threads post to a loop, and the loop's phase: a value, used under a lock.
struct Mailbox {
    enum Phase: Hashable, Sendable {
        case idle
        case running
        case stopping
        case ended
        /// The loop ended, and a late thread runs the work posted since.
        case runningLate
    }

    /// The action that the caller carries out after it releases the lock.
    enum Action: Hashable, Sendable {
        case none
        case wake
        case startLateThread
    }

    /// What a loop's thread does at the start of a turn.
    enum TurnStart: Hashable, Sendable {
        /// Waits for sockets, timers and other threads.
        case wait
        /// Looks at the sockets without waiting, since there is work.
        case poll
        /// Takes no turn.
        case stopped
    }

    private(set) var phase = Phase.idle

    /// Whether the loop's turns are over and its handlers gone.
    var hasEnded: Bool { phase == .ended || phase == .runningLate }

    /// The work to run, in order of posting.
    private var queue: [Work] = []

    /// Whether the thread waits, or is about to, and no wake-up was requested since.
    private var isAsleep = false

    /// Tasks suspended until the loop ends.
    private var waiters: [CheckedContinuation<Void, Never>] = []

    mutating func post(_ work: Work) -> Action {
        queue.append(work)
        switch phase {
        case .idle, .stopping, .runningLate: return .none
        case .running: return wakeOnce()
        case .ended:
            phase = .runningLate
            return .startLateThread
        }
    }

    mutating func begin() {
        switch phase {
        case .idle: phase = .running
        case .stopping: break
        case .running, .ended, .runningLate: preconditionFailure("a loop runs once, not from \(phase)")
        }
    }

    mutating func stop() -> Action {
        switch phase {
        case .idle:
            phase = .stopping
            return .none
        case .running:
            phase = .stopping
            return wakeOnce()
        case .stopping, .ended, .runningLate: return .none
        }
    }

    /// Returns how the next turn begins; after `wait`, the next `post` or `stop` wakes the thread.
    mutating func beginTurn(after batch: borrowing WorkBatch) -> TurnStart {
        guard phase == .running else { return .stopped }
        isAsleep = queue.isEmpty && batch.isEmpty
        return isAsleep ? .wait : .poll
    }

    /// Moves the queued work to the batch, if the batch is empty, and marks the thread as awake.
    mutating func wakeUp(draining batch: inout WorkBatch) {
        isAsleep = false
        if batch.isEmpty { batch.refill(from: &queue) }
    }

    /// Marks the loop as ended, and returns the tasks that the caller resumes.
    mutating func end() -> (action: Action, waiters: [CheckedContinuation<Void, Never>]) {
        precondition(phase == .stopping, "a loop ends from stopping, not from \(phase)")
        defer { waiters = [] }
        phase = queue.isEmpty ? .ended : .runningLate
        return (queue.isEmpty ? .none : .startLateThread, waiters)
    }

    /// Removes and returns the work posted after the end; nil for an empty queue, and the late thread exits.
    mutating func drainLate() -> [Work]? {
        precondition(phase == .runningLate, "a late thread runs late, not when \(phase)")
        guard !queue.isEmpty else {
            phase = .ended
            return nil
        }
        defer { queue = [] }
        return queue
    }

    mutating func awaitEnd(_ waiter: CheckedContinuation<Void, Never>) -> Bool {
        switch phase {
        case .idle, .running, .stopping:
            waiters.append(waiter)
            return true
        case .ended, .runningLate: return false
        }
    }

    private mutating func wakeOnce() -> Action {
        defer { isAsleep = false }
        return isAsleep ? .wake : .none
    }
}

/// One thing to do on a loop's thread.
enum Work: Sendable {
    case job(UnownedJob)
    /// A closure given to `perform`.
    case closure(@Sendable () -> Void)

    /// A placeholder for work that was taken out; it retains nothing.
    case done

    /// Runs the job or the closure; a job runs isolated to the executor.
    func run(on executor: UnownedSerialExecutor) {
        switch self {
        case .job(let job): job.runSynchronously(on: executor)
        case .closure(let closure): closure()
        case .done: preconditionFailure("work is done once")
        }
    }
}

/// Work taken from the mailbox, run in order and a limited number at a time.
struct WorkBatch {
    /// The work; the items before index `next` were taken out.
    private(set) var items: [Work] = []
    private var next = 0

    var isEmpty: Bool { next == items.count }

    /// Swaps the queue's array for the emptied array of the last batch.
    mutating func refill(from queue: inout [Work]) {
        precondition(isEmpty, "the batch still holds work")
        items.removeAll(keepingCapacity: items.capacity <= Self.reusedCapacity)
        next = 0
        swap(&items, &queue)
    }

    mutating func popFirst() -> Work? {
        guard !isEmpty else { return nil }
        // Moved out, so that its last reference is released by the caller: a release may run code that posts
        // work, which must not happen while this batch is changed or the mailbox is locked.
        let work = items[next]
        items[next] = .done
        next += 1
        return work
    }

    /// The largest array capacity reused for later batches; larger arrays, grown in a burst, are freed.
    private static let reusedCapacity = 4_096
}
