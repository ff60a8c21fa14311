public import FleetProtocol
public import Stepping

/// One device with all that its pod object tells.
public struct Pod: Sendable {
    /// When its air conditioner was set to something else, as far as anybody remembers.
    public struct ChangeTimes: Hashable, Sendable {
        /// To anything.
        public var last: WallTime?
        /// From off to on.
        public var toOn: WallTime?
        /// From on to off.
        public var toOff: WallTime?

        /// Those times.
        public init(last: WallTime? = nil, toOn: WallTime? = nil, toOff: WallTime? = nil) {
            self.last = last
            self.toOn = toOn
            self.toOff = toOff
        }
    }

    /// The device.
    public let device: DeviceID
    /// Its name for people, as it was given: anything may be in it.
    public let name: String
    /// Its state.
    public internal(set) var reported: DeviceState
    /// When the controller heard of its state.
    public internal(set) var asOf: WallTime
    /// Whether it is there.
    public internal(set) var presence: Presence
    /// What it has in common with others; nil where nobody said, and then it is a Sky.
    public let group: DeviceGroup?
    /// What it measured last; nil when that was not heard of.
    public internal(set) var measured: SnapshotChunk.Measured?
    /// What it is set to do by itself; nil where that is nothing.
    public let settings: DeviceSettings?
    /// When it changed.
    public internal(set) var changes: ChangeTimes

    /// What is wrong with keys of its object.
    var flaws: [CloudFault.PodKey: PodFlaw] = [:]
    /// Whether changes of it fail at once, whether or not the cloud reaches it.
    public var isCutOff = false
    /// Whether changes of its state fail, for the cloud takes its remote to have no code for them.
    public var lacksCode = false

    /// The pod of those parts.
    public init(
        device: DeviceID, name: String, reported: DeviceState, asOf: WallTime, presence: Presence,
        group: DeviceGroup? = nil, measured: SnapshotChunk.Measured? = nil, settings: DeviceSettings? = nil,
        changes: ChangeTimes = ChangeTimes()
    ) {
        self.device = device
        self.name = name
        self.reported = reported
        self.asOf = asOf
        self.presence = presence
        self.group = group
        self.measured = measured
        self.settings = settings
        self.changes = changes
    }

    /// What it is sold as.
    public var model: ProductModel { group?.model ?? .sky }

    /// What it can be set to.
    var capabilities: Capabilities { group?.capabilities ?? model.capabilities() }

    /// What it is set to.
    public var state: ACState { reported.state }

    /// The Climate React that the pod's user has set, otherwise that of the scenario; nil for neither.
    public var climateReact: ClimateReact? { settings?.climateReact ?? group?.climateReact }

    /// When anything was heard of it last.
    var lastSeen: WallTime {
        let heard = max(asOf, measured?.at ?? asOf)
        return presence.reason == .disconnected ? max(heard, presence.since) : heard
    }
}
