public import FleetProtocol

/// All that one device must not forget: how it is set, and what it said to the last command.
public struct DeviceMemory: Hashable, Sendable {
    /// How often its state has really changed, from 1 on.
    public internal(set) var version: Version
    /// This life of the memory.
    public internal(set) var incarnation: Incarnation
    /// The highest controller's epoch it has seen.
    public internal(set) var epoch = Epoch.zero
    /// The last sequence used up; zero before the first.
    public internal(set) var lastSequence = CommandSequence.zero
    /// The request that used it.
    public internal(set) var lastRequest = RequestID(high: 0, low: 0)
    /// The answer to it.
    public internal(set) var lastJudgement = Judgement(verdict: .aborted, version: .zero, state: .asBuilt)
    /// What it is set to.
    public internal(set) var state: ACState
    /// What last changed that; last, so that whatever holds a memory fills the gap behind it.
    public internal(set) var cause = ChangeCause.request

    /// A device as it leaves the factory, at its first version.
    public init(newborn state: ACState, incarnation: Incarnation) {
        self.init(DeviceState(state: state, version: Version(1), incarnation: incarnation))
    }

    /// A device that has used no sequence.
    init(_ reported: DeviceState) {
        version = reported.version
        incarnation = reported.incarnation
        state = reported.state
    }

    /// State, version and incarnation.
    public var reported: DeviceState {
        DeviceState(state: state, version: version, incarnation: incarnation)
    }

    /// Whether nothing has happened to it since it was made.
    var isUntouched: Bool {
        lastSequence == .zero && epoch == .zero && version == Version(1)
    }

    /// Takes what happened after everything that it knows.
    mutating func apply(_ entry: MemoryEntry) {
        if incarnation != entry.reported.incarnation { self = DeviceMemory(entry.reported) }
        version = entry.reported.version
        state = entry.reported.state
        epoch = entry.epoch
        cause = entry.changedBy
        guard let used = entry.used else { return }
        lastSequence = used.sequence
        lastRequest = used.requestID
        lastJudgement = Judgement(verdict: used.verdict, version: version, state: state)
    }
}
