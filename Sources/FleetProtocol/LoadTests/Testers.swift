/// The state of a load test, for its coordinator.
public struct LoadTestState: Hashable, Sendable {
    /// The ID of the load test.
    public let id: RequestID
    /// The testers that have joined, by number.
    public let testers: [TesterStatus]

    /// A state with the given values.
    public init(id: RequestID, testers: [TesterStatus]) { (self.id, self.testers) = (id, testers) }
}

/// The phase of a tester in a load test.
public enum TesterPhase: UInt8, CaseIterable, Hashable, Sendable {
    /// It reads the devices and opens its connections.
    case preparing
    /// It has what it needs, and waits for the start.
    case ready
    /// It sends requests, or waits for their replies.
    case running
    /// It has ended, and sends its result.
    case done
}

/// A tester of a load test, as its coordinator sees it.
public struct TesterStatus: Hashable, Sendable {
    /// Its number, from 0.
    public let tester: UInt32
    /// The name of its machine.
    public let name: NodeName
    /// Its phase.
    public let phase: TesterPhase
    /// Its requests so far.
    public let progress: TesterProgress
    /// The time since its last message.
    public let silent: Duration

    /// A status with the given values.
    public init(
        tester: UInt32, name: NodeName, phase: TesterPhase, progress: TesterProgress, silent: Duration
    ) {
        (self.tester, self.name, self.phase) = (tester, name, phase)
        (self.progress, self.silent) = (progress, silent)
    }
}

/// The requests of a tester since the measurement began.
public struct TesterProgress: Hashable, Sendable {
    /// Requests that were due.
    public let offered: UInt64
    /// The number of them that were applied.
    public let applied: UInt64
    /// The number of them that were not applied.
    public let failed: UInt64
    /// The number of requests in flight.
    public let inFlight: UInt32
    /// The median latency of the last second, in microseconds; 0 without any.
    public let p50Us: UInt64
    /// The 99th percentile of the latencies of the last second, in microseconds; 0 without any.
    public let p99Us: UInt64

    /// Progress with the given values.
    public init(
        offered: UInt64 = 0, applied: UInt64 = 0, failed: UInt64 = 0, inFlight: UInt32 = 0,
        p50Us: UInt64 = 0, p99Us: UInt64 = 0
    ) {
        (self.offered, self.applied, self.failed) = (offered, applied, failed)
        (self.inFlight, self.p50Us, self.p99Us) = (inFlight, p50Us, p99Us)
    }
}

/// A tester that asks for a place in a load test.
public struct TesterEntry: Hashable, Sendable {
    /// The tester's ID, made when it starts.
    public let agent: RequestID
    /// The name of its machine.
    public let name: NodeName

    /// An entry with the given values.
    public init(agent: RequestID, name: NodeName) { (self.agent, self.name) = (agent, name) }
}

/// The place of a tester in a load test, and the load.
public struct TesterOrder: Hashable, Sendable {
    /// The ID of the load test.
    public let id: RequestID
    /// The tester's number, from 0.
    public let tester: UInt32
    /// The number of testers.
    public let testers: UInt32
    /// The load, as its coordinator has written it.
    public let plan: [UInt8]

    /// An order with the given values.
    public init(id: RequestID, tester: UInt32, testers: UInt32, plan: [UInt8]) {
        (self.id, self.tester, self.testers, self.plan) = (id, tester, testers, plan)
    }
}

/// The report of a tester about itself.
public struct TesterReport: Hashable, Sendable {
    /// The ID of the load test.
    public let id: RequestID
    /// The tester's ID.
    public let agent: RequestID
    /// The tester's number.
    public let tester: UInt32
    /// The name of its machine.
    public let name: NodeName
    /// Its phase.
    public let phase: TesterPhase
    /// Its requests so far.
    public let progress: TesterProgress

    /// A report with the given values.
    public init(
        id: RequestID, agent: RequestID, tester: UInt32, name: NodeName, phase: TesterPhase,
        progress: TesterProgress = TesterProgress()
    ) {
        (self.id, self.agent, self.tester) = (id, agent, tester)
        (self.name, self.phase, self.progress) = (name, phase, progress)
    }
}

/// What a tester has to do.
public enum TesterSignal: Hashable, Sendable {
    /// Wait for the start.
    case wait
    /// Send the first request after that many microseconds; negative if the start has passed.
    case start(inUs: Int64)
    /// Stop, and send the result.
    case stop
    /// Stop without waiting for replies, and send the result.
    case abandon
}

/// A part of a tester's result.
public struct TesterPart: Hashable, Sendable {
    /// The ID of the load test.
    public let id: RequestID
    /// The tester's number.
    public let tester: UInt32
    /// Its offset in the result, in bytes.
    public let offset: UInt64
    /// The bytes, at most ``Limits/loadPartBytes``; empty in a reply if the tester has not sent the part yet.
    public let content: [UInt8]
    /// Whether it is the last part.
    public let isLast: Bool

    /// A part with the given values.
    public init(id: RequestID, tester: UInt32, offset: UInt64, content: [UInt8], isLast: Bool) {
        (self.id, self.tester, self.offset) = (id, tester, offset)
        (self.content, self.isLast) = (content, isLast)
    }
}
