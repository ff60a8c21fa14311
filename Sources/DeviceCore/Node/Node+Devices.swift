public import FleetProtocol
import Stepping

/// What devices have of the groups of their population.
extension Node {
    /// What a device is sold as.
    func model(of slot: Int) -> ProductModel {
        configuration.scenario.population.groups[group(of: slot)].model
    }

    /// The state of a new device.
    func newbornState(of slot: Int) -> ACState {
        .asBuilt(configuration.scenario.population.groups[group(of: slot)])
    }

    /// What the remote of a device's air conditioner sends.
    func remote(of slot: Int) -> RemoteKind {
        configuration.scenario.population.groups[group(of: slot)].remote
    }

    /// The groups as the controller is told of them.
    var groups: [DeviceGroup] { configuration.scenario.population.groups.map(\.told) }

    /// The index of the group that a device is in, below ``Limits/nodeGroups``.
    func group(of slot: Int) -> Int { names.group(of: configuration.firstIndex + UInt64(slot)) }
}

extension Scenario.Group {
    /// What is told of it.
    fileprivate var told: DeviceGroup {
        DeviceGroup(
            model: model, site: site, firmware: firmware ?? model.usualFirmware ?? "", remote: remote,
            airConditioner: airConditioner,
            climateReact: climateReact.map(FleetProtocol.ClimateReact.init(_:)))
    }
}

/// Devices as their node tells of them.
extension Node {
    /// The device of a slot as it is now.
    ///
    /// - Parameter slot: One of 0 to ``deviceCount``, itself excluded.
    public func row(of slot: Int) -> DeviceRow {
        DeviceRow(
            device: ids[slot], number: devices[slot].number, reported: devices[slot].memory.reported,
            epoch: devices[slot].memory.epoch, lastSequence: devices[slot].memory.lastSequence,
            isConnected: devices[slot].connectivity == .established, cause: devices[slot].memory.cause,
            settings: settings[slot])
    }

    /// The rows of changes above a number, from a slot on, for the pull of that number: as many as a chunk
    /// holds.
    func chunk(since: ChangeNumber, from cursor: UInt32, for pull: UInt64) -> RowChunk {
        var rows: [RowChunk.Row] = []
        var slot = min(Int(cursor), hosted)
        let end = min(hosted, slot + Self.slotsPerPull)
        // Settings are large: of rows that have some, fewer fit.
        var settingsBytes = 0
        while slot < end, rows.count < Limits.chunkRows {
            if devices[slot].number > since {
                settingsBytes += settings[slot]?.bytesAtMost ?? 0
                guard settingsBytes <= Limits.chunkSettingsBytes else { break }
                rows.append(
                    RowChunk.Row(
                        device: row(of: slot), name: name(ofSlot: slot), group: UInt8(group(of: slot)),
                        measurements: measurements(ofSlot: slot)))
            }
            slot += 1
        }
        return RowChunk(
            since: since, cursor: cursor, nextCursor: UInt32(slot), isLast: slot == hosted, pull: pull,
            rows: rows)
    }
}

/// Devices that leave the fleet while it runs.
extension Node {
    /// The node's last devices are there no more; the others are not disturbed.
    ///
    /// Nothing is heard of them any longer, and what was under way with them does not happen: a command that
    /// one of them holds is never judged. What they remember stays in the node's memory, should they come
    /// back with another life of the process. Devices that are not here have left already.
    mutating func retire(_ named: [DeviceID], for order: OrderID, into effects: inout [Effect]) {
        let leaving = named.compactMap(ownSlot(of:))
        guard Set(leaving).count == leaving.count, leaving.allSatisfy({ $0 >= hosted - leaving.count })
        else { return send(.done(order, devices: 0, .notLast), into: &effects) }
        hosted -= leaving.count
        rooms.keep(hosted)
        send(.done(order, devices: UInt32(leaving.count)), into: &effects)
    }
}

/// Devices whose memory is not what it was.
extension Node {
    /// Has devices begin new incarnations whose memory went back, or names an epoch that no controller had.
    ///
    /// The file of a node's memory may have been replaced by an older copy. Then a device answers a sequence
    /// once more that it has answered before, and counts versions again that were seen with other states;
    /// only a new incarnation is safe. The node itself compares: an order that was under way for long, or is
    /// repeated, changes nothing.
    ///
    /// - Parameter epoch: The controller's. One of a lower epoch than the device's gives it no orders, unless
    ///   that epoch cannot be.
    mutating func renew(
        _ seen: [SeenDevice], by epoch: Epoch, at now: Moment, into effects: inout [Effect]
    ) {
        for known in seen {
            guard let slot = ownSlot(of: known.device) else { continue }
            let memory = devices[slot].memory
            guard memory.incarnation == known.incarnation else { continue }
            let wentBack = memory.version < known.version && memory.epoch <= epoch
            guard wentBack || !memory.epoch.isPlausible(at: now.wall, knowing: epoch) else { continue }
            reset(slot, into: &effects)
        }
    }
}

/// What a node's devices remember, for whoever writes it down.
extension Node {
    /// Whether ``putMemories(of:into:)`` knows the device: one that the node hosts, or that has retired.
    public func remembers(_ device: DeviceID) -> Bool { slot(of: device) != nil }

    /// Appends all that the devices of some slots remember now.
    ///
    /// - Parameter slots: Some of 0 to ``deviceCount``.
    public func putMemories(of slots: Range<Int>, into writer: inout MemoryWriter) {
        for slot in slots { writer.put(devices[slot].memory, of: ids[slot]) }
        if !airConditioners.areAsAssumed {
            for slot in slots {
                if let actual = airConditioners.stray(of: slot) {
                    writer.put(airConditioner: actual, of: ids[slot])
                }
            }
        }
        guard !settings.isEmpty else { return }
        for slot in slots {
            if let settings = settings[slot] { writer.put(settings, of: ids[slot]) }
        }
    }

    mutating func remember(
        _ cause: MemoryEntry.Cause, of slot: Int, airConditioner: ACState? = nil,
        settings: DeviceSettings? = nil, into effects: inout [Effect]
    ) {
        effects.append(
            .remember(
                MemoryEntry(
                    device: ids[slot], reported: devices[slot].memory.reported,
                    epoch: devices[slot].memory.epoch, cause: cause,
                    changedBy: devices[slot].memory.cause, airConditioner: airConditioner,
                    settings: settings)))
    }
}
