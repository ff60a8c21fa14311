import DequeModule
public import FleetProtocol
public import FleetReplica
public import Stepping

/// What happened to an account's devices, and what they measured, for as long as there is room.
///
/// A device keeps ``changesAtMost`` changes and a day of measurements where there are few enough of them: all
/// together ``changesInAll`` and ``samplesInAll``. Of 100,000 devices each keeps its last 5 changes
/// and 41 measurements: an hour.
public struct PodHistory: Sendable {
    /// Records of one device: three times as many as a client can ask for.
    public static let changesAtMost = 64
    /// Measurements of one device: those of a day.
    public static let samplesAtMost = 960
    /// Changes of all devices.
    public static let changesInAll = 1 << 19
    /// Measurements of all devices.
    public static let samplesInAll = 1 << 22

    private var changes: FairRings<PodEvent>
    private var samples: FairRings<Sample>
    /// What Climate React was, of devices that have one.
    private var climateReacts: [DeviceID: ClimateReact] = [:]

    /// Nothing is remembered.
    public init() {
        self.init(changesInAll: Self.changesInAll, samplesInAll: Self.samplesInAll)
    }

    init(changesInAll: Int, samplesInAll: Int) {
        changes = FairRings(most: min(Self.changesAtMost, changesInAll), total: changesInAll)
        samples = FairRings(most: min(Self.samplesAtMost, samplesInAll), total: samplesInAll)
    }

    // MARK: What happens

    /// A device has another state.
    ///
    /// One that differs in its version alone is no change: settings were set. The same change may be heard of
    /// twice, from the stream and as a request's end.
    public mutating func note(
        _ state: DeviceState, of device: DeviceID, from before: ACState?, by cause: ChangeCause,
        at time: WallTime
    ) {
        note(StateChange(of: device, to: state, from: before, by: cause, at: time), of: device)
    }

    /// A request for a device's state ended: it changed the device, found it so already, or fell short.
    public mutating func note(_ report: OutcomeReport, from before: ACState?, at time: WallTime) {
        guard let device = report.device, let change = StateChange(endOf: report, from: before, at: time)
        else { return }
        note(change, of: device)
    }

    /// A request ended before the account was followed: its record is inserted by its time.
    ///
    /// One that fell short without an answer of the device is left out: nothing tells the state at the time.
    public mutating func recall(_ past: HistoryChunk.PastOutcome) {
        guard let device = past.report.device,
            let change = StateChange(endOf: past.report, from: nil, at: past.endedAt),
            !join(change, of: device)
        else { return }
        changes.insert(.state(change), to: device) { $0.at <= change.at }
    }

    /// A device is set to do something else by itself.
    public mutating func note(_ settings: DeviceSettings, of device: DeviceID, at time: WallTime) {
        let (before, after) = (climateReacts[device], settings.climateReact)
        guard before != after else { return }
        climateReacts[device] = after
        guard let after else { return }
        let isSwitched = before.map { $0.isEnabled != after.isEnabled } ?? false
        changes.append(.climateReact(after, isSwitched: isSwitched, at: time), to: device)
    }

    /// A device has measured.
    public mutating func note(_ measurements: Measurements, of device: DeviceID, at time: WallTime) {
        samples.append(Sample(measurements, at: time), to: device)
    }

    /// A device is gone for good.
    public mutating func forget(_ device: DeviceID) {
        changes.remove(device)
        samples.remove(device)
        climateReacts[device] = nil
    }

    private mutating func note(_ change: StateChange, of device: DeviceID) {
        guard !join(change, of: device) else { return }
        var change = change
        change.before = change.before ?? changes(of: device, limit: 1).first?.after
        guard change.before != change.after || !change.isMade else { return }
        changes.append(.state(change), to: device)
    }

    /// Adds what a record says to the one that is known of the same change.
    ///
    /// - Returns: Whether there is one.
    private mutating func join(_ change: StateChange, of device: DeviceID) -> Bool {
        changes.updateNewest(of: device) { event in
            guard case .state(let known) = event, known.id == change.id else { return false }
            event = .state(known.joined(with: change))
            return true
        }
    }

    // MARK: What is remembered

    /// The newest records of a device's state, newest first.
    ///
    /// Where the state before a change is not known, it is the state in the record before.
    public func changes(of device: DeviceID, limit: Int) -> [StateChange] {
        var found: [StateChange] = []
        for case .state(let change) in changes[device].reversed() {
            if let newer = found.indices.last, found[newer].before == nil {
                found[newer].before = change.after
            }
            guard found.count < limit else { break }
            found.append(change)
        }
        return found
    }

    /// The newest records of a device's state, newest first, and among them the state that it has.
    ///
    /// - Parameter current: How the device came to its state. It is a record of its own where no success is
    ///   known, or where the newest led to another state: nothing tells what hand remotes did in the past.
    public func changes(of device: DeviceID, limit: Int, current: StateChange) -> [StateChange] {
        var found = changes(of: device, limit: limit)
        if let newest = found.first(where: { $0.shortfall == nil }),
            newest.after == current.after || newest.at >= current.at
        {
            return found
        }
        let place = found.firstIndex { $0.at <= current.at } ?? found.endIndex
        found.insert(current, at: place)
        return Array(found.prefix(limit))
    }

    /// The newest of all that happened to a device, newest first.
    public func events(of device: DeviceID, limit: Int) -> [PodEvent] {
        Array(changes[device].reversed().prefix(limit).flatMap(\.withCause).prefix(limit))
    }

    /// When a device was set to something else, as far as that is remembered.
    ///
    /// - Parameter end: What came later does not count; nil for what came up to now.
    public func changeTimes(of device: DeviceID, until end: WallTime? = nil) -> Pod.ChangeTimes {
        var times = Pod.ChangeTimes()
        var earlier: ACState?
        for case .state(let change) in changes[device] {
            if let end, change.at > end { break }
            defer { earlier = change.after }
            guard change.isMade else { continue }
            times.last = change.at
            guard let before = change.before ?? earlier, before.isOn != change.after.isOn else { continue }
            if change.after.isOn {
                times.toOn = change.at
            } else {
                times.toOff = change.at
            }
        }
        return times
    }

    /// What a device measured last until then.
    func lastSample(of device: DeviceID, until end: WallTime) -> Sample? {
        samples[device].last { $0.at <= end }
    }

    /// What a device measured since then, oldest first.
    func samples(of device: DeviceID, since: WallTime) -> [Sample] {
        samples[device].filter { $0.at >= since }
    }
}

extension StateChange {
    /// This change with what another report of it knows, too.
    fileprivate func joined(with other: StateChange) -> StateChange {
        var joined = self
        joined.user = user ?? other.user
        joined.before = before ?? other.before
        return joined
    }
}

extension PodHistory {
    /// Takes what a replica says that has happened.
    ///
    /// - Parameter replica: The one that said so, as it is then.
    public mutating func note(_ event: FleetEvent, of replica: Replica) {
        switch event.body {
        case .reported(let reported):
            note(
                reported.state, of: reported.device.id, from: replica.row(of: reported.device.id)?.before,
                by: reported.cause, at: event.at)
        case .outcome(let end): note(end.report, from: end.before, at: event.at)
        case .settings(let device, let settings): note(settings, of: device.id, at: event.at)
        case .measured(let devices):
            for measured in devices { note(measured.measurements, of: measured.device, at: event.at) }
        case .removed(let device): forget(device.id)
        case .presence, .node, .added, .connection, .stale, .resync: break
        }
    }
}

/// Something that happened to a pod.
public enum PodEvent: Sendable {
    /// Its state was changed, or was to be.
    case state(StateChange)
    /// What brought such a change about, by itself: a plan whose time had come, or a threshold.
    case cause(StateChange)
    /// Its Climate React was set, and whether it was only switched on or off.
    case climateReact(ClimateReact, isSwitched: Bool, at: WallTime)

    /// When it was.
    var at: WallTime {
        switch self {
        case .state(let change), .cause(let change): change.at
        case .climateReact(_, _, let time): time
        }
    }

    /// Its number in Sensibo's list of kinds, as clients have it: `AC_STATE.CHANGED`, `SCHEDULING`, and of
    /// Climate React `THRESHOLD_CROSSED`, `CHANGED` and that it was switched.
    var kind: Int {
        switch self {
        case .state: 1_000_000
        case .cause(let change): change.cause == .climateReact ? 1_031_000 : 1_020_000
        case .climateReact(_, let isSwitched, _): isSwitched ? 1_030_000 : 1_032_000
        }
    }

    /// This event and whatever brought it about that is one of its own, newest first.
    var withCause: [PodEvent] {
        guard case .state(let change) = self, change.isByItself else { return [self] }
        return [self, .cause(change)]
    }
}

extension StateChange {
    /// Whether the device did it by itself, as it was told to before.
    fileprivate var isByItself: Bool {
        switch cause {
        case .climateReact, .timer, .schedule: true
        case .request, .correction, .handRemote, .app: false
        }
    }
}

/// What a pod measured at some second, in eight bytes.
struct Sample: Equatable, Sendable {
    /// Seconds since 1970: enough until 2106.
    private let seconds: UInt32
    /// The temperature in tenths of a degree Celsius.
    let deciCelsius: Int16
    /// The relative humidity in tenths of a percent.
    let humidityPermille: UInt16

    init(_ measurements: Measurements, at time: WallTime) {
        seconds = UInt32(clamping: time.unixMilliseconds / 1_000)
        deciCelsius = measurements.deciCelsius
        humidityPermille = measurements.humidityPermille
    }

    var at: WallTime { WallTime(unixMilliseconds: Int64(seconds) * 1_000) }
}
