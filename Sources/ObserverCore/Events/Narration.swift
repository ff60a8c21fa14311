import FleetProtocol
import FleetReplica
public import FleetTime

/// Which events a person reads, and when: each thing once.
///
/// A toggle makes two events, the device's new state and the request's outcome, in either order. A person
/// reads the outcome; so a new state waits for ``patience``, and is only told, with what it was
/// done by, if no outcome accounts for it.
public struct Narration: Sendable {
    /// How long a new state waits for an outcome that accounts for it.
    public static let patience: Duration = .milliseconds(500)
    /// New states that wait at most; beyond, the oldest is told at once.
    public static let longestQueue = 10_000
    /// New states that were dealt with and are still kept, where fewer wait.
    static let longestRest = 256
    /// Outcomes remembered at most.
    public static let memory = 16_384

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
    /// Where the queue begins: what is before has been dealt with, and is at most as much as waits or
    /// ``longestRest``.
    private var head = 0
    private var accounted: Set<Cause> = []
    private var remembered: [Cause] = []
    private var oldest = 0

    /// Nothing told yet.
    public init() {}

    /// How many new states wait.
    public var waitingCount: Int { waiting.count - head }
    /// How many new states are kept, those included that were dealt with.
    var keptCount: Int { waiting.count }

    /// Takes an event and appends the lines that can be told.
    public mutating func take(_ event: ObserverEvent, at now: MonotonicTime, into lines: inout [EventLine]) {
        switch event.body {
        case .fleet(.reported(let reported)) where !reported.isRepair:
            guard !accounted.contains(Cause(reported.device.id, reported.state)) else { return }
            if waitingCount >= Self.longestQueue { tellFirst(into: &lines) }
            waiting.append(Waiting(due: now.advanced(by: Self.patience), at: event.at, reported: reported))
        case .fleet(.outcome(let outcome)):
            if case .applied(let state) = outcome.report.outcome, let device = outcome.device {
                remember(Cause(device.id, state))
            }
            lines.append(EventLine(event))
        case .fleet(.reported), .fleet(.presence), .fleet(.node), .fleet(.added), .fleet(.removed),
            .fleet(.connection), .fleet(.stale), .fleet(.resync), .notice:
            lines.append(EventLine(event))
        // Every pod measures all the time: that is shown, and not told. What a device is set to was asked
        // for, and the outcome of that is told.
        case .fleet(.measured), .fleet(.settings), .fleet(.service): break
        }
    }

    /// Appends the lines of states that have waited long enough.
    public mutating func tick(at now: MonotonicTime, into lines: inout [EventLine]) {
        while head < waiting.count, waiting[head].due <= now { tellFirst(into: &lines) }
        if head == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            head = 0
        } else if head > max(waitingCount, Self.longestRest) {
            waiting.removeFirst(head)
            head = 0
        }
    }

    private mutating func tellFirst(into lines: inout [EventLine]) {
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
