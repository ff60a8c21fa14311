public import FleetProtocol

/// What the devices of a node remember, while it is read: a node takes its own out of it and lets it go.
public struct NodeMemory: Sendable {
    private var slots: [DeviceID: Int32] = [:]
    private var ids: [DeviceID] = []
    private var memories: [DeviceMemory] = []
    /// What air conditioners are at, where their devices assume something else.
    private var strays: [DeviceID: ACState] = [:]
    /// What devices are set to do by themselves, where it is anything.
    private var settings: [DeviceID: DeviceSettings] = [:]

    /// The origin of the file; nil for a file before format 7, and without a file.
    public internal(set) var origin: MemoryOrigin?

    /// Nothing is remembered.
    public init(of origin: MemoryOrigin? = nil) { self.origin = origin }

    /// How many devices are remembered.
    public var deviceCount: Int { ids.count }

    /// What each device remembers, in the order in which they were first heard of.
    public var devices: some Sequence<(DeviceID, DeviceMemory)> { zip(ids, memories) }

    /// What a device remembers; nil for one that nobody has heard of.
    public subscript(device: DeviceID) -> DeviceMemory? {
        slots[device].map { memories[Int($0)] }
    }

    /// What a device's air conditioner is at, where the device assumes something else; nil where it does not.
    public func airConditioner(of device: DeviceID) -> ACState? { strays[device] }

    mutating func setAirConditioner(_ actual: ACState, of device: DeviceID) {
        strays[device] = actual == self[device]?.state ? nil : actual
    }

    /// What a device is set to do by itself; nil for nothing.
    public func settings(of device: DeviceID) -> DeviceSettings? { settings[device] }

    /// Takes what a device is set to do by itself.
    public mutating func setSettings(_ new: DeviceSettings, of device: DeviceID) {
        settings[device] = new.isEmpty ? nil : new
    }

    /// Puts a whole memory in the place of what is known of the device, whose air conditioner is then at what
    /// it assumes, and which is set to nothing.
    public mutating func set(_ memory: DeviceMemory, of device: DeviceID) {
        strays[device] = nil
        settings[device] = nil
        if let slot = slots[device] {
            memories[Int(slot)] = memory
        } else {
            slots[device] = Int32(ids.count)
            ids.append(device)
            memories.append(memory)
        }
    }

    /// Takes what happened to a device after everything that is known.
    public mutating func apply(_ entry: MemoryEntry) {
        if let slot = slots[entry.device] {
            memories[Int(slot)].apply(entry)
        } else {
            var memory = DeviceMemory(entry.reported)
            memory.apply(entry)
            set(memory, of: entry.device)
        }
        if entry.cause == .reset { settings[entry.device] = nil }
        if let new = entry.settings { setSettings(new, of: entry.device) }
        if let actual = entry.airConditioner { setAirConditioner(actual, of: entry.device) }
    }
}

/// All that one device must not forget: how it is set, and what it said to the last command.
public struct DeviceMemory: Hashable, Sendable {
    /// How often its state has really changed, from 1 on.
    public internal(set) var version: Version
    public internal(set) var incarnation: Incarnation
    /// The highest controller's epoch it has seen.
    public internal(set) var epoch = Epoch.zero
    /// The last command number used up; zero before the first.
    public internal(set) var lastCommandNumber = CommandNumber.zero
    var lastRequest = RequestID(high: 0, low: 0)
    var lastJudgement = Judgement(verdict: .aborted, version: .zero, state: .asBuilt)
    public internal(set) var state: ACState
    /// What last changed that; last, so that whatever holds a memory fills the gap behind it.
    public internal(set) var cause = ChangeCause.request

    /// A device as it leaves the factory, at its first version.
    init(newborn state: ACState, incarnation: Incarnation) {
        self.init(DeviceState(state: state, version: Version(1), incarnation: incarnation))
    }

    /// A device that has used no command number.
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
        lastCommandNumber == .zero && epoch == .zero && version == Version(1)
    }

    /// Takes what happened after everything that it knows.
    mutating func apply(_ entry: MemoryEntry) {
        if incarnation != entry.reported.incarnation { self = DeviceMemory(entry.reported) }
        version = entry.reported.version
        state = entry.reported.state
        epoch = entry.epoch
        cause = entry.changedBy
        guard let used = entry.used else { return }
        lastCommandNumber = used.commandNumber
        lastRequest = used.requestID
        lastJudgement = Judgement(verdict: used.verdict, version: version, state: state)
    }
}

/// What a device decided, and the state that it decided on.
struct Judgement: Hashable, Sendable {
    let verdict: Verdict
    let version: Version
    let state: ACState
}
