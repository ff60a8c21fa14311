import FleetProtocol

extension ReplicaTables {
    /// Applies an update to the tables. Updates of unknown devices are held if their rows may still arrive. A
    /// whole replica has every device, so an unknown device was removed.
    mutating func apply(_ update: StreamUpdate, holds: Bool, into effects: inout [Replica.Effect]) {
        let position = StreamPosition(epoch: update.epoch, sequence: update.sequence)
        switch update.body {
        case .beat: break
        case .reported(let device, let state, let cause):
            apply(
                ReportedDevice(device: device, state: state, cause: cause), in: devices.place(of: device),
                at: update.at, from: position, holds: holds, into: &effects)
        case .reports(let reports):
            apply(reports, at: update.at, from: position, holds: holds, into: &effects)
        case .connection(let device, let isConnected):
            guard let place = devices.place(of: device) else {
                if holds { hold(device) { $0.connection = (isConnected, update.at, position) } }
                return
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
            guard isNew else { return }
            effects.append(.event(FleetEvent(at: update.at, .added(named(row.device)))))
        case .removed(let device):
            if holds { hold(device) { $0 = HeldUpdates.Entry(removedAt: position) } }
            remove(device, from: position, eventAt: update.at, into: &effects)
        case .measured(let measured):
            for one in measured {
                // Until a device's row arrives, its measurements are dropped: the snapshot has newer ones.
                guard let place = devices.place(of: one.device) else { continue }
                write(SnapshotChunk.Measured(one.measurements, at: update.at), to: place, from: position)
            }
            effects.append(.event(FleetEvent(at: update.at, .measured(measured))))
        case .group(let group): write(group)
        case .settings(let device, let settings):
            write(settings, of: device, from: position, eventAt: update.at, into: &effects)
        case .service(let message): effects.append(.event(FleetEvent(at: update.at, .service(message))))
        }
    }

    // Speed: see performance.md, "lookups".
    /// Applies a batch of reported states.
    private mutating func apply(
        _ reports: [ReportedDevice], at time: WallTime, from position: StreamPosition, holds: Bool,
        into effects: inout [Replica.Effect]
    ) {
        let places = reports.map { devices.place(of: $0.device) }
        for (report, place) in zip(reports, places) {
            apply(report, in: place, at: time, from: position, holds: holds, into: &effects)
        }
    }

    /// Applies a reported state, or holds it until the device's row arrives.
    private mutating func apply(
        _ report: ReportedDevice, in place: Int?, at time: WallTime, from position: StreamPosition,
        holds: Bool, into effects: inout [Replica.Effect]
    ) {
        guard let place else {
            if holds { hold(report.device) { $0.reported = (report.state, report.cause, time, position) } }
            return
        }
        write(
            report.state, by: report.cause, asOf: time, to: place, from: position, isRepair: false,
            eventAt: time, into: &effects)
    }

    private func named(_ report: OutcomeReport) -> FleetEvent.Outcome {
        guard let device = report.device, let row = row(of: device) else {
            return FleetEvent.Outcome(report: report, device: report.device.map(named(_:)), before: nil)
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

    private mutating func remove(
        _ device: DeviceID, from position: StreamPosition, eventAt: WallTime,
        into effects: inout [Replica.Effect]
    ) {
        guard let place = devices.place(of: device), devices[place].written.newest < position else { return }
        effects.append(.event(FleetEvent(at: eventAt, .removed(named(devices[place])))))
        drop(place)
    }
}

/// Updates held for devices whose row has not arrived with a snapshot yet, to prevent lost updates and
/// regressions.
struct HeldUpdates: Sendable {
    struct Entry: Sendable {
        var reported: (state: DeviceState, cause: ChangeCause, asOf: WallTime, at: StreamPosition)?
        var connection: (isConnected: Bool, since: WallTime, at: StreamPosition)?
        var removedAt: StreamPosition?
    }

    /// The maximum number of devices with held updates, at which the replica repeats the snapshot.
    static let limit = Limits.nodeDevices

    private(set) var entries: [DeviceID: Entry] = [:]

    var isFull: Bool { entries.count >= Self.limit }

    subscript(device: DeviceID) -> Entry? { entries[device] }

    mutating func update(_ device: DeviceID, _ change: (inout Entry) -> Void) {
        change(&entries[device, default: Entry()])
    }

    mutating func remove(_ device: DeviceID) {
        // Speed: see performance.md, "lookups".
        if !entries.isEmpty { entries[device] = nil }
    }

    mutating func removeAll() { entries.removeAll() }
}
