public import FleetProtocol
public import Stepping

/// What happened to an account's devices, and what they measured, for as long as there is room.
///
/// A device keeps ``changesAtMost`` changes and a day of measurements where there are few enough of them: all
/// together ``changesInAll`` and ``samplesInAll``. Of 100,000 devices each keeps its last 5 changes
/// and 41 measurements: an hour.
public struct PodHistory: Sendable {
    /// Changes of one device: three times as many as a client can ask for.
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

    /// A request for a device's state ended; it leaves a trace unless the device was so already.
    public mutating func note(_ report: OutcomeReport, from before: ACState?, at time: WallTime) {
        guard let device = report.device, report.command != .configure else { return }
        let cause = report.command == .correct ? ChangeCause.correction : .request
        if case .applied(let state) = report.outcome {
            let change = StateChange(
                of: device, to: state, from: before, by: cause, user: report.actor, at: time)
            return note(change, of: device)
        }
        guard report.outcome.isFinal, let shortfall = StateChange.Shortfall(report.outcome),
            let state = report.outcome.state?.state ?? before
        else { return }
        let change = StateChange(
            of: report.requestID, at: state, by: cause, user: report.actor, shortfall: shortfall, at: time)
        changes.append(.state(change), to: device)
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
        let isKnown = changes.updateNewest(of: device) { event in
            guard case .state(let known) = event, known.id == change.id else { return false }
            event = .state(known.joined(with: change))
            return true
        }
        guard !isKnown else { return }
        var change = change
        change.before = change.before ?? changes(of: device, limit: 1).first?.after
        guard change.before != change.after else { return }
        changes.append(.state(change), to: device)
    }

    // MARK: What is remembered

    /// The newest changes of a device's state, newest first.
    public func changes(of device: DeviceID, limit: Int) -> [StateChange] {
        let states = changes[device].reversed().lazy.compactMap { event -> StateChange? in
            if case .state(let change) = event { change } else { nil }
        }
        return Array(states.prefix(limit))
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
        for case .state(let change) in changes[device].reversed() where change.shortfall == nil {
            if let end, change.at > end { continue }
            times.last = times.last ?? change.at
            guard let before = change.before, before.isOn != change.after.isOn else { continue }
            if change.after.isOn {
                times.toOn = times.toOn ?? change.at
            } else {
                times.toOff = times.toOff ?? change.at
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
