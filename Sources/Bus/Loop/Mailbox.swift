/// What other threads leave for a loop, and where the loop is in its life: a value, used under a lock.
struct Mailbox {
    /// The life of a loop as other threads see it.
    enum Phase: Hashable, Sendable {
        /// Made; nobody runs it yet.
        case idle
        /// A thread runs it.
        case running
        /// It is to end, or to end as soon as it is run.
        case stopping
        /// It ended.
        case ended
        /// It ended, and a late thread runs what came after.
        case runningLate
    }

    /// What the caller has to do once it has given up the lock.
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

    /// What is to be run, in order.
    private var queue: [Work] = []

    /// Whether the thread waits, or is about to, and nobody has woken it since.
    private var isAsleep = false

    /// Tasks that wait for the end.
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Adds work.
    mutating func post(_ work: Work) -> Action {
        queue.append(work)
        switch phase {
        case .idle, .stopping, .runningLate:
            return .none
        case .running:
            return wakeOnce()
        case .ended:
            phase = .runningLate
            return .startLateThread
        }
    }

    /// Notes that a thread runs the loop now.
    mutating func begin() {
        switch phase {
        case .idle: phase = .running
        case .stopping: break
        case .running, .ended, .runningLate: preconditionFailure("a loop runs once, not from \(phase)")
        }
    }

    /// Notes that the loop is to end.
    mutating func stop() -> Action {
        switch phase {
        case .idle:
            phase = .stopping
            return .none
        case .running:
            phase = .stopping
            return wakeOnce()
        case .stopping, .ended, .runningLate:
            return .none
        }
    }

    /// How the next turn begins; if it is to wait, whoever adds work from now on wakes it.
    mutating func beginTurn(after batch: borrowing WorkBatch) -> TurnStart {
        guard phase == .running else { return .stopped }
        isAsleep = queue.isEmpty && batch.isEmpty
        return isAsleep ? .wait : .poll
    }

    /// Takes the work, if all that was taken before is done.
    mutating func wakeUp(taking batch: inout WorkBatch) {
        isAsleep = false
        if batch.isEmpty { batch.refill(from: &queue) }
    }

    /// Notes the end; the tasks that waited for it are the caller's to resume.
    mutating func end() -> (action: Action, waiters: [CheckedContinuation<Void, Never>]) {
        precondition(phase == .stopping, "a loop ends from stopping, not from \(phase)")
        defer { waiters = [] }
        phase = queue.isEmpty ? .ended : .runningLate
        return (queue.isEmpty ? .none : .startLateThread, waiters)
    }

    /// Takes what came after the end; nil when there is none and the late thread is to go.
    mutating func takeLate() -> [Work]? {
        precondition(phase == .runningLate, "a late thread runs late, not when \(phase)")
        guard !queue.isEmpty else {
            phase = .ended
            return nil
        }
        defer { queue = [] }
        return queue
    }

    /// Keeps a task that waits for the end; false when it is over already.
    mutating func awaitEnd(_ waiter: CheckedContinuation<Void, Never>) -> Bool {
        switch phase {
        case .idle, .running, .stopping:
            waiters.append(waiter)
            return true
        case .ended, .runningLate:
            return false
        }
    }

    private mutating func wakeOnce() -> Action {
        defer { isAsleep = false }
        return isAsleep ? .wake : .none
    }
}

/// One thing to do on a loop's thread.
enum Work: Sendable {
    /// A piece of a task, to be run exactly once.
    case job(UnownedJob)
    /// A closure given to `perform`.
    case closure(@Sendable () -> Void)

    /// Done before; it holds a place and keeps nothing alive.
    case done

    /// Does it, as a part of what the executor isolates.
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
    /// The work, of which what lies before `next` is done.
    private(set) var items: [Work] = []
    private var next = 0

    /// Whether there is nothing left to run.
    var isEmpty: Bool { next == items.count }

    /// Takes all that waits, in exchange for the emptied array of the last batch.
    ///
    /// - Precondition: The batch is empty.
    mutating func refill(from queue: inout [Work]) {
        precondition(isEmpty, "the batch still holds work")
        items.removeAll(keepingCapacity: items.capacity <= Self.reusedCapacity)
        next = 0
        swap(&items, &queue)
    }

    /// The next piece of work; nil when all is done.
    mutating func popFirst() -> Work? {
        guard !isEmpty else { return nil }
        // Taken out, so that whoever runs it lets go of it: not this value while it is being changed, nor the
        // mailbox under its lock.
        let work = items[next]
        items[next] = .done
        next += 1
        return work
    }

    /// Room kept from batch to batch; more is given back, so that one burst does not cost memory for ever.
    private static let reusedCapacity = 4_096
}
