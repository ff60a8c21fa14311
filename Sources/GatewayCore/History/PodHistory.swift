import DequeModule
public import FleetProtocol
public import FleetReplica
public import UserText

/// The newest events and measurements of an account's devices, in ring buffers of bounded total size.
///
/// In a small fleet a device keeps ``changesAtMost`` changes and a day of measurements. All devices together
/// keep ``changesInAll`` and ``samplesInAll``. With 100,000 devices each keeps its last 5 changes and 41
/// measurements: an hour.
public struct PodHistory: Sendable {
    /// The maximum number of records of one device: three times as many as a client can request.
    static let changesAtMost = 64
    /// The maximum number of measurements of one device: a day of them.
    static let samplesAtMost = 960
    static let changesInAll = 1 << 19
    static let samplesInAll = 1 << 22

    private var changes: FairRings<PodEvent>
    private var samples: FairRings<PackedSample>
    /// The time of the last measurement that was recorded.
    private var lastSampleAt = WallTime(unixMilliseconds: 0)
    /// The last Climate React settings of each device that has some.
    private var climateReacts: [DeviceID: ClimateReact] = [:]
    private(set) var runs = RunningTimes()
    var rooms = RoomSettings()
    /// The pods as a file had them before the history begins.
    public var records = PodRecords.none

    public init() { self.init(changesInAll: Self.changesInAll, samplesInAll: Self.samplesInAll) }

    init(changesInAll: Int, samplesInAll: Int) {
        changes = FairRings(most: min(Self.changesAtMost, changesInAll), total: changesInAll)
        samples = FairRings(most: min(Self.samplesAtMost, samplesInAll), total: samplesInAll)
    }

    // MARK: Recording

    /// Records a change of a device's state. A state that differs only in its version is not recorded: the
    /// change was of settings. The stream and a request's outcome may both report one change; the reports are
    /// merged into one record.
    public mutating func record(
        _ state: DeviceState, of device: DeviceID, from before: ACState?, by cause: ChangeCause,
        at time: WallTime
    ) {
        record(StateChange(of: device, to: state, from: before, by: cause, at: time), of: device)
    }

    public mutating func record(_ report: OutcomeReport, from before: ACState?, at time: WallTime) {
        guard let device = report.device, let change = StateChange(endOf: report, from: before, at: time)
        else { return }
        record(change, of: device)
    }

    /// Inserts the record of a request that ended before the replica began, at the place of its time. A
    /// failed request whose outcome has no device state is left out: the state at that time is unknown.
    public mutating func restore(_ past: HistoryChunk.PastOutcome) {
        guard let device = past.report.device,
            let change = StateChange(endOf: past.report, from: nil, at: past.endedAt),
            !join(change, of: device)
        else { return }
        changes.insert(.state(change), to: device) { $0.at <= change.at }
    }

    /// Records a change of a device's Climate React settings; other settings are not recorded.
    public mutating func record(_ settings: DeviceSettings, of device: DeviceID, at time: WallTime) {
        let (before, after) = (climateReacts[device], settings.climateReact)
        guard before != after else { return }
        climateReacts[device] = after
        guard let after else { return }
        let isSwitched = before.map { $0.isEnabled != after.isEnabled } ?? false
        changes.append(.climateReact(after, isSwitched: isSwitched, at: time), to: device)
    }

    public mutating func record(_ measurements: Measurements, of device: DeviceID, at time: WallTime) {
        lastSampleAt = time
        samples.append(PackedSample(measurements, at: time), to: device)
    }

    public mutating func remove(_ device: DeviceID) {
        changes.remove(device)
        samples.remove(device)
        climateReacts[device] = nil
    }

    private mutating func record(_ change: StateChange, of device: DeviceID) {
        guard !join(change, of: device) else { return }
        var change = change
        change.before = change.before ?? changes(of: device, limit: 1).first?.after
        guard change.before != change.after || !change.isMade else { return }
        changes.append(.state(change), to: device)
    }

    /// Merges a record into the stored record of the same change; returns whether there is one.
    private mutating func join(_ change: StateChange, of device: DeviceID) -> Bool {
        changes.updateNewest(of: device) {
            if case .state(let known) = $0 { known.id == change.id } else { false }
        } _: { event in
            if case .state(let known) = event { event = .state(known.joined(with: change)) }
        }
    }

    // MARK: Reading

    /// The newest records of a device's state, newest first. If the state before a change is unknown, it is
    /// the state of the preceding record.
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

    /// The newest records of a device's state, newest first, including one for its current state. That is
    /// inserted if no success is recorded, or if the newest one is older and led to another state: records
    /// from the controller lack hand remotes.
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

    /// The newest events of a device, newest first; the change to the current state is one in any case.
    public func events(of device: DeviceID, limit: Int, current: StateChange? = nil) -> [PodEvent] {
        let recorded = changes[device]
        let events = recorded.isEmpty ? current.map { [.state($0)] } ?? [] : recorded.suffix(limit).reversed()
        return Array(events.flatMap(\.withCause).prefix(limit))
    }

    /// The times of a device's last changes of state until `end`, as far back as the history goes.
    func changeTimes(of device: DeviceID, until end: WallTime? = nil) -> Pod.ChangeTimes {
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

    func lastSample(of device: DeviceID, until end: WallTime) -> Sample? {
        samples[device].reversed().lazy.map { Sample($0, near: lastSampleAt) }.first { $0.at <= end }
    }

    /// The measurements of a device since a time, oldest first.
    func samples(of device: DeviceID, since: WallTime) -> [Sample] {
        samples[device].map { Sample($0, near: lastSampleAt) }.filter { $0.at >= since }
    }
}

extension StateChange {
    /// This change, with its missing user and previous state from another report of the same change.
    fileprivate func joined(with other: StateChange) -> StateChange {
        var joined = self
        joined.user = user ?? other.user
        joined.before = before ?? other.before
        return joined
    }
}

extension PodHistory {
    public mutating func record(_ event: FleetEvent, of replica: Replica) {
        runs.record(event, of: replica)
        switch event.body {
        case .reported(let reported):
            record(
                reported.state, of: reported.device.id, from: replica.row(of: reported.device.id)?.before,
                by: reported.cause, at: event.at)
        case .outcome(let end): record(end.report, from: end.before, at: event.at)
        case .settings(let device, let settings): record(settings, of: device.id, at: event.at)
        case .measured(let devices):
            for measured in devices { record(measured.measurements, of: measured.device, at: event.at) }
        case .removed(let device): remove(device.id)
        case .presence, .node, .added, .connection, .stale, .resync, .service: break
        }
    }
}

public indirect enum PodEvent: Sendable {
    /// A change of its state, or a request for one.
    case state(StateChange)
    /// The automatic cause of such a change: a timer or schedule that was due, or a threshold.
    case cause(StateChange)
    /// A change of its Climate React settings; `isSwitched` if it was enabled or disabled.
    case climateReact(ClimateReact, isSwitched: Bool, at: WallTime)

    var at: WallTime {
        switch self {
        case .state(let change), .cause(let change): change.at
        case .climateReact(_, _, let time): time
        }
    }

    /// Its number in Sensibo's list of kinds, as clients have it: `AC_STATE.CHANGED`, `SCHEDULING`, and for
    /// Climate React `THRESHOLD_CROSSED`, `CHANGED` and enabled or disabled.
    var kind: Int {
        switch self {
        case .state: 1_000_000
        case .cause(let change): change.cause == .climateReact ? 1_031_000 : 1_020_000
        case .climateReact(_, let isSwitched, _): isSwitched ? 1_030_000 : 1_032_000
        }
    }

    /// This event, followed by an event for its cause if the device made the change automatically.
    var withCause: [PodEvent] {
        guard case .state(let change) = self, change.isByItself else { return [self] }
        return [self, .cause(change)]
    }
}

extension StateChange {
    /// Whether a timer, a schedule or Climate React made the change.
    fileprivate var isByItself: Bool {
        switch cause {
        case .climateReact, .timer, .schedule: true
        case .request, .correction, .handRemote, .app: false
        }
    }
}

/// A measurement of a pod, to a hundredth of a second: a simulated clock may show many seconds in a real one.
struct Sample: Equatable, Sendable {
    let at: WallTime
    let deciCelsius: Int16
    let humidityPermille: UInt16

    /// The time of another measurement must be at most 248 days apart.
    fileprivate init(_ packed: PackedSample, near known: WallTime) {
        let near = Self.hundredths(known)
        let apart = Int32(bitPattern: packed.hundredths &- UInt32(truncatingIfNeeded: near))
        at = WallTime(unixMilliseconds: (near + Int64(apart)) * 10)
        (deciCelsius, humidityPermille) = (packed.deciCelsius, packed.humidityPermille)
    }

    /// Returns the time of a sample of a measurement.
    static func time(_ time: WallTime) -> WallTime { WallTime(unixMilliseconds: hundredths(time) * 10) }

    fileprivate static func hundredths(_ time: WallTime) -> Int64 {
        time.unixMilliseconds.dividedDown(by: 10)
    }
}

private struct PackedSample: Sendable {
    /// The lower bits of the hundredths of a second since 1970.
    let hundredths: UInt32
    let deciCelsius: Int16
    let humidityPermille: UInt16

    init(_ measurements: Measurements, at time: WallTime) {
        hundredths = UInt32(truncatingIfNeeded: Sample.hundredths(time))
        deciCelsius = measurements.deciCelsius
        humidityPermille = measurements.humidityPermille
    }
}
