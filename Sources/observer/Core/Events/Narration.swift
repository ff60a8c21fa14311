import FleetProtocol
import FleetReplica

/// Selects the events to show as text, so that each change is shown once. A toggle causes two events in
/// either order: the device's new state and the request's outcome. The outcome is shown. A new state
/// therefore waits for ``stateDelay``, and is shown, with its cause, only if no outcome explains it.
struct Narration: Sendable {
    /// How long a new state waits for an outcome that explains it.
    static let stateDelay: Duration = .milliseconds(500)
    /// The most waiting states; beyond, the oldest is shown at once.
    static let longestQueue = 10_000
    /// The number of processed states up to which they are not yet removed from the array.
    static let longestRest = 256
    static let memory = 16_384

    private struct Cause: Hashable {
        let device: DeviceID
        let incarnation: Incarnation
        let version: Version

        init(_ device: DeviceID, _ state: DeviceState) {
            self.device = device
            incarnation = state.incarnation
            version = state.version
        }
    }

    private struct Waiting {
        let due: MonotonicTime
        let at: WallTime
        let reported: FleetEvent.Reported
    }

    private var waiting: [Waiting] = []
    /// The start of the queue in the array; the processed states before it are at most as many as the waiting
    /// ones or ``longestRest``.
    private var head = 0
    private var accounted: Set<Cause> = []
    private var remembered: [Cause] = []
    private var oldest = 0

    var waitingCount: Int { waiting.count - head }
    var storedCount: Int { waiting.count }

    mutating func handle(_ event: ObserverEvent, at now: MonotonicTime, into lines: inout [EventLine]) {
        switch event.body {
        case .fleet(.reported(let reported)) where !reported.isRepair:
            guard !accounted.contains(Cause(reported.device.id, reported.state)) else { return }
            if waitingCount >= Self.longestQueue { appendFirst(into: &lines) }
            waiting.append(Waiting(due: now.advanced(by: Self.stateDelay), at: event.at, reported: reported))
        case .fleet(.outcome(let outcome)):
            if case .applied(let state) = outcome.report.outcome, let device = outcome.device {
                remember(Cause(device.id, state))
            }
            lines.append(EventLine(event))
        case .fleet(.reported), .fleet(.presence), .fleet(.node), .fleet(.added), .fleet(.removed),
            .fleet(.connection), .fleet(.stale), .fleet(.resync), .notice:
            lines.append(EventLine(event))
        // Measurements are shown in the table and not as lines. A change of settings follows from a request,
        // whose outcome is shown.
        case .fleet(.measured), .fleet(.settings), .fleet(.service): break
        }
    }

    /// Appends the lines of the states whose wait is over.
    mutating func tick(at now: MonotonicTime, into lines: inout [EventLine]) {
        while head < waiting.count, waiting[head].due <= now { appendFirst(into: &lines) }
        if head == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            head = 0
        } else if head > max(waitingCount, Self.longestRest) {
            waiting.removeFirst(head)
            head = 0
        }
    }

    private mutating func appendFirst(into lines: inout [EventLine]) {
        let first = waiting[head]
        head += 1
        if !accounted.contains(Cause(first.reported.device.id, first.reported.state)) {
            lines.append(EventLine(at: first.at, first.reported))
        }
    }

    private mutating func remember(_ cause: Cause) {
        guard accounted.insert(cause).inserted else { return }
        if remembered.count < Self.memory {
            remembered.append(cause)
        } else {
            accounted.remove(remembered[oldest])
            remembered[oldest] = cause
            oldest = (oldest + 1) % Self.memory
        }
    }
}
