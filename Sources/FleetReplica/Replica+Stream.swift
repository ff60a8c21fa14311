import FleetProtocol
import FleetTime
import PlantedBugs

extension Replica {
    /// Applies an update: its rows first, so that none are lost, then its effect on the replica's continuity.
    mutating func take(_ update: StreamUpdate, at now: Moment, into effects: inout [Effect]) {
        guard update.epoch >= epoch else { return }
        if update.epoch > epoch { enter(update.epoch, at: now, into: &effects) }
        heardAt = now.monotonic
        failures = 0
        var verdict = verdict(on: update)
        if verdict == .gap, planted(.gapIgnored) || (update.body == .beat && planted(.beatWithoutSequence)) {
            verdict = .repeated
        }
        if verdict != .repeated, update.body != .beat {
            if case .reports(let reports) = update.body {
                updateCount += UInt64(reports.count)
            } else {
                updateCount += 1
            }
            apply(update, at: now, into: &effects)
        }
        isSilent = false
        isSubscribed = true
        switch (verdict, phase) {
        case (.gap, .away): becomeStale(.gap, at: now, into: &effects)
        case (.gap, _): repair(.gap, at: now, into: &effects)
        case (.next, .away), (.repeated, .away):
            // An update proves that the controller is reachable, whatever the last connection state was.
            phase = .waiting(newRound(), until: now.monotonic.advanced(by: jitter()))
        case (.next, .whole), (.repeated, .whole): settle(at: now, into: &effects)
        case (.next, .waiting), (.next, .pulling), (.repeated, .waiting), (.repeated, .pulling): break
        }
    }

    /// Enters another epoch: the replica becomes stale, and sequence numbers restart.
    mutating func enter(_ new: Epoch, at now: Moment, into effects: inout [Effect]) {
        let isFirst = epoch == .zero
        epoch = new
        continuity = StreamContinuity()
        isSubscribed = false
        nodes.forgetIndices()
        groups.forgetNumbers()
        held.removeAll()
        guard !isFirst else { return }
        repair(.otherEpoch, at: now, into: &effects)
    }

    /// Becomes whole once the snapshot is complete and the stream is received.
    mutating func settle(at now: Moment, into effects: inout [Effect]) {
        guard !isSilent else {
            cause = .silence
            return
        }
        guard isSubscribed else { return }
        let isFirst = wholeTo.epoch == .zero
        wholeTo = position
        guard cause != nil else { return }
        cause = nil
        let stale = staleSince.map { $0.monotonic.duration(to: now.monotonic) }
        staleSince = nil
        let resync = FleetEvent.Resync(
            devices: deviceCount, position: position, isFirst: isFirst, staleFor: stale ?? .zero)
        effects.append(.event(FleetEvent(at: now.wall, .resync(resync))))
    }

    private mutating func verdict(on update: StreamUpdate) -> StreamContinuity.Verdict {
        update.body == .beat
            ? continuity.hearBeat(update.sequence)
            : continuity.hear(update.sequence)
    }

    private mutating func apply(_ update: StreamUpdate, at now: Moment, into effects: inout [Effect]) {
        let position = StreamPosition(epoch: update.epoch, sequence: update.sequence)
        switch update.body {
        case .beat: break
        case .reported(let device, let state, let cause):
            take(
                ReportedDevice(device: device, state: state, cause: cause), in: devices.place(of: device),
                at: update.at, from: position, into: &effects)
        case .reports(let reports): take(reports, at: update.at, from: position, into: &effects)
        case .connection(let device, let isConnected):
            guard let place = devices.place(of: device) else {
                return hold(device) { $0.connection = (isConnected, update.at, position) }
            }
            write(
                isConnected: isConnected, since: update.at, to: place, from: position, eventAt: update.at,
                into: &effects)
        case .node(let node, let count):
            write(node, devices: Int(count), from: position, eventAt: update.at, into: &effects)
        case .outcome(let report):
            effects.append(.event(FleetEvent(at: update.at, .outcome(named(report)))))
        case .added(let row):
            let isNew = devices.place(of: row.device) == nil
            write(row, from: position, eventAt: update.at, into: &effects)
            if isNew { announce(.added(named(row.device)), at: update.at, into: &effects) }
        case .removed(let device):
            remove(device, from: position, eventAt: update.at, into: &effects)
        case .measured(let measured):
            for one in measured {
                // Whose row is still to come has what the snapshot says, and soon the next.
                guard let place = devices.place(of: one.device) else { continue }
                write(SnapshotChunk.Measured(one.measurements, at: update.at), to: place, from: position)
            }
            effects.append(.event(FleetEvent(at: update.at, .measured(measured))))
        case .group(let group): groups.write(group)
        case .settings(let device, let settings):
            write(settings, of: device, from: position, eventAt: update.at, into: &effects)
        case .service(let message): effects.append(.event(FleetEvent(at: update.at, .service(message))))
        }
    }

    /// Applies a batch of reported states.
    ///
    /// All rows are looked up before the first is written, so that the processor overlaps the cache misses.
    private mutating func take(
        _ reports: [ReportedDevice], at time: WallTime, from position: StreamPosition,
        into effects: inout [Effect]
    ) {
        let places = reports.map { devices.place(of: $0.device) }
        for (report, place) in zip(reports, places) {
            take(report, in: place, at: time, from: position, into: &effects)
        }
    }

    /// Applies a reported state, or holds it until the device's row arrives.
    private mutating func take(
        _ report: ReportedDevice, in place: Int?, at time: WallTime, from position: StreamPosition,
        into effects: inout [Effect]
    ) {
        guard let place else {
            return hold(report.device) { $0.reported = (report.state, report.cause, time, position) }
        }
        write(
            report.state, by: report.cause, asOf: time, to: place, from: position, isRepair: false,
            eventAt: time, into: &effects)
    }

    private func named(_ report: OutcomeReport) -> FleetEvent.Outcome {
        guard let device = report.device, let row = row(of: device) else {
            return FleetEvent.Outcome(
                report: report, device: report.device.map(named(_:)), before: nil)
        }
        // The new state and the outcome arrive in either order.
        let before: ACState? =
            if row.reported.version == report.versionBefore {
                row.reported.state
            } else if row.reported == report.outcome.state {
                row.before
            } else {
                nil
            }
        return FleetEvent.Outcome(report: report, device: named(row), before: before)
    }

    private mutating func hold(_ device: DeviceID, _ change: (inout HeldUpdates.Entry) -> Void) {
        // A whole replica has every device, so an unknown device was removed.
        guard !isWhole, !held.isFull || held[device] != nil else { return }
        held.update(device, change)
    }

    private mutating func remove(
        _ device: DeviceID, from position: StreamPosition, eventAt: WallTime, into effects: inout [Effect]
    ) {
        hold(device) { $0 = HeldUpdates.Entry(removedAt: position) }
        guard let place = devices.place(of: device), devices[place].newestAt < position else { return }
        announce(.removed(named(devices[place])), at: eventAt, into: &effects)
        drop(place)
    }

    private func announce(
        _ body: FleetEvent.Body, at time: WallTime, into effects: inout [Effect]
    ) {
        effects.append(.event(FleetEvent(at: time, body)))
    }
}

/// Updates held for devices whose row has not arrived with a snapshot yet, to prevent lost updates and
/// regressions.
struct HeldUpdates: Sendable {
    /// The held updates of one device.
    struct Entry: Sendable {
        var reported: (state: DeviceState, cause: ChangeCause, asOf: WallTime, at: StreamPosition)?
        var connection: (isConnected: Bool, since: WallTime, at: StreamPosition)?
        var removedAt: StreamPosition?
    }

    /// The maximum number of devices with held updates, at which the replica repeats the snapshot.
    static let limit = Limits.nodeDevices

    private(set) var entries: [DeviceID: Entry] = [:]

    /// Whether the limit of devices is reached.
    var isFull: Bool { entries.count >= Self.limit }

    subscript(device: DeviceID) -> Entry? { entries[device] }

    /// Changes the held updates of a device.
    mutating func update(_ device: DeviceID, _ change: (inout Entry) -> Void) {
        change(&entries[device, default: Entry()])
    }

    /// Removes the held updates of one device.
    mutating func forget(_ device: DeviceID) {
        // Skips the hash of a lookup while the table is empty, which is nearly always so during a snapshot.
        if !entries.isEmpty { entries[device] = nil }
    }

    /// Removes all held updates.
    mutating func removeAll() {
        entries.removeAll()
    }
}
