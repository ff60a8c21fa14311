public import FleetProtocol

extension Node {
    /// The current row of a device, whose slot is below ``deviceCount``.
    public func row(of slot: Int) -> DeviceRow {
        DeviceRow(
            device: devices.ids[slot], number: devices[slot].number, reported: devices[slot].memory.reported,
            epoch: devices[slot].memory.epoch, lastCommandNumber: devices[slot].memory.lastCommandNumber,
            isConnected: devices.isConnected(slot), cause: devices[slot].memory.cause,
            settings: settings[slot])
    }

    /// Returns the rows with change numbers above `since`, from the slot `cursor` on: up to the size of a
    /// chunk.
    func chunk(since: ChangeNumber, from cursor: UInt32, for pull: UInt64) -> RowChunk {
        var rows: [RowChunk.Row] = []
        var slot = min(Int(cursor), devices.count)
        let end = min(devices.count, slot + Self.slotsPerPull)
        // Settings are large, so fewer rows with settings fit into a chunk.
        var settingsBytes = 0
        while slot < end, rows.count < Limits.chunkRows {
            if devices[slot].number > since, !devices.isHidden(slot) {
                settingsBytes += settings[slot]?.bytesAtMost ?? 0
                guard settingsBytes <= Limits.chunkSettingsBytes else { break }
                rows.append(
                    RowChunk.Row(
                        device: row(of: slot), name: name(ofSlot: slot),
                        group: UInt8(population.groupIndex(of: slot)),
                        measurements: measurements(ofSlot: slot)))
            }
            slot += 1
        }
        return RowChunk(
            since: since, cursor: cursor, nextCursor: UInt32(slot), isLast: slot == devices.count, pull: pull,
            rows: rows)
    }
}

extension Node {
    /// Gives devices the settings that users have made before, unless they are remembered, and pods of a file
    /// their air. Disconnects those that are offline in the file.
    mutating func beginSettings(unlessIn memory: NodeMemory, at now: Moment) {
        guard population.hasBegun else { return }
        for (slot, device) in devices.ids.enumerated() {
            if memory[device] == nil {
                let begun = population.settings(of: slot, device, at: now.wall, speed: run.speed)
                settings.set(begun.following(run.clock, at: now.wall, zones: configuration.zones), of: slot)
            }
            guard let pod = population.pod(of: slot) else { continue }
            let calibration = pod.settings.calibration ?? .zero
            rooms.setAir(
                of: slot, celsius: pod.deciCelsius.map { Double($0 - calibration.deciCelsius) / 10 },
                humidityPercent: pod.humidityPermille.map {
                    Double(Int($0) - Int(calibration.humidityPermille)) / 10
                })
            guard !pod.isOnline else { continue }
            let end = now.monotonic.advanced(by: Limits.longestFault)
            faults.begin(.offline, of: slot, until: end, delay: .zero)
            timers.set(.faultEnds(slot: slot, .offline), at: end)
            devices[slot].connectivity = .error
        }
    }

    /// Removes the last devices of the node without an effect on the others.
    ///
    /// The node publishes nothing more about them and never judges a command that one of them holds. Their
    /// memories stay in the node's memory file, in case a later process hosts them again. Devices that this
    /// node does not host are skipped: they have left already.
    mutating func retire(_ named: [DeviceID], for order: OrderID, into effects: inout [Effect]) {
        guard let count = devices.retire(named)
        else { return send(.done(order, devices: 0, .notLast), into: &effects) }
        rooms.truncate(devices.count)
        send(.done(order, devices: UInt32(count)), into: &effects)
    }
}

/// Devices whose memory is inconsistent with the controller's.
extension Node {
    /// Starts new incarnations of devices whose version is below the controller's, or whose epoch is
    /// implausible.
    ///
    /// An older copy may have replaced the node's memory file. A device would then answer a used command
    /// number again, and reuse versions for other states. Only a new incarnation prevents that. The node
    /// compares incarnations itself, so a late or repeated order changes nothing. An order of a lower epoch
    /// than the device's has no effect, unless the device's epoch is implausible.
    mutating func renew(_ seen: [SeenDevice], by epoch: Epoch, at now: Moment, into effects: inout [Effect]) {
        for known in seen {
            guard let slot = devices.hostedSlot(of: known.device) else { continue }
            let memory = devices[slot].memory
            guard memory.incarnation == known.incarnation else { continue }
            let wentBack = memory.version < known.version && memory.epoch <= epoch
            guard wentBack || !memory.epoch.isPlausible(at: now.wall, knowing: epoch) else { continue }
            reset(slot, into: &effects)
        }
    }
}

extension Node {
    /// Whether ``putMemories(of:into:)`` covers the device: one that the node hosts, or that has retired.
    public func remembers(_ device: DeviceID) -> Bool { devices.slot(of: device) != nil }

    /// Appends the memories, air conditioner states and settings of a range of slots below ``deviceCount``.
    public func putMemories(of slots: Range<Int>, into writer: inout MemoryWriter) {
        for slot in slots { writer.put(devices[slot].memory, of: devices.ids[slot]) }
        if !airConditioners.areAsAssumed {
            for slot in slots {
                if let actual = airConditioners.stray(of: slot) {
                    writer.put(airConditioner: actual, of: devices.ids[slot])
                }
            }
        }
        guard !settings.isEmpty else { return }
        for slot in slots {
            if let settings = settings[slot] { writer.put(settings, of: devices.ids[slot]) }
        }
    }

    mutating func remember(
        _ cause: MemoryEntry.Cause, of slot: Int, airConditioner: ACState? = nil,
        settings: DeviceSettings? = nil, into effects: inout [Effect]
    ) {
        effects.append(
            .remember(
                MemoryEntry(
                    device: devices.ids[slot], reported: devices[slot].memory.reported,
                    epoch: devices[slot].memory.epoch, cause: cause,
                    changedBy: devices[slot].memory.cause, airConditioner: airConditioner,
                    settings: settings)))
    }
}

/// The devices of a node by slot: first those that it hosts, then those that have retired, whose memories
/// stay in the node's memory file.
struct HostedDevices: Sendable {
    private var devices: [Device]
    let ids: [DeviceID]
    private(set) var count: Int
    /// The slots of hosted devices that users have removed.
    private var hidden: Set<Int> = []
    // Speed: see performance.md, "lookups".
    /// The number of hosted devices while none is hidden, otherwise 0.
    private var plainCount: Int
    private(set) var lastNumber: ChangeNumber
    private let keys: FleetKeys
    private let firstIndex: UInt64

    /// The devices of a node that starts: each with the memory that the function returns for its slot and ID.
    init(of configuration: NodeConfiguration, memory: (Int, DeviceID) -> DeviceMemory) {
        firstIndex = configuration.firstIndex
        keys = FleetKeys(seed: configuration.seed)
        count = configuration.devices
        plainCount = count
        lastNumber = ChangeNumber(UInt64(configuration.devices))
        ids = (0..<configuration.devices).map {
            DeviceID(fleetSeed: configuration.seed, index: configuration.firstIndex + UInt64($0))
        }
        devices = ids.enumerated().map { slot, id in
            Device(memory: memory(slot, id), number: ChangeNumber(UInt64(slot + 1)))
        }
    }

    var slotCount: Int { devices.count }

    subscript(slot: Int) -> Device {
        _read { yield devices[slot] }
        _modify { yield &devices[slot] }
    }

    /// Returns the slot of a hosted or retired device; nil for another node's.
    func slot(of device: DeviceID) -> Int? {
        let index = device.index(in: keys)
        guard index >= firstIndex, index - firstIndex < UInt64(devices.count) else { return nil }
        return Int(index - firstIndex)
    }

    /// Returns the slot of a hosted device; nil for another, and for a removed one.
    func hostedSlot(of device: DeviceID) -> Int? {
        guard let slot = slot(of: device) else { return nil }
        return slot < plainCount || slot < count && !hidden.contains(slot) ? slot : nil
    }

    func isHidden(_ slot: Int) -> Bool { hasHidden && hidden.contains(slot) }

    var hasHidden: Bool { plainCount != count }
    var shownCount: Int { count - hidden.count { $0 < count } }

    /// Hides devices that users have removed, until the node starts again.
    mutating func hide(_ removed: Set<DeviceID>) {
        hidden.formUnion(removed.compactMap(slot(of:)))
        plainCount = hidden.isEmpty ? count : 0
    }

    /// Returns the slot of a hosted and connected device; nil for another.
    func connectedSlot(of device: DeviceID) -> Int? {
        guard let slot = hostedSlot(of: device), isConnected(slot) else { return nil }
        return slot
    }

    func isConnected(_ slot: Int) -> Bool { devices[slot].connectivity == .established }

    /// The request with the newest ID that a hosted device has judged; nil before the first.
    var newestRequest: RequestID? {
        devices.prefix(count).lazy.map(\.memory).filter { $0.lastCommandNumber != .zero }.map(\.lastRequest)
            .max()
    }

    /// The numbers of hosted devices that are on, and that are connected.
    var standing: (on: Int, connected: Int) {
        devices.prefix(count).reduce(into: (0, 0)) { standing, device in
            standing.0 += device.memory.state.isOn ? 1 : 0
            standing.1 += device.connectivity == .established ? 1 : 0
        }
    }

    mutating func renumber(_ slot: Int) {
        lastNumber = lastNumber.next
        devices[slot].number = lastNumber
    }

    /// Retires the last devices; returns their number, or nil if the named ones are not the last. Devices
    /// that the node does not host are skipped, and so are removed ones.
    mutating func retire(_ named: [DeviceID]) -> Int? {
        let slots = named.compactMap(hostedSlot(of:))
        let leaving = Set(slots)
        guard let first = leaving.min() else { return 0 }
        guard leaving.count == slots.count,
            (first..<count).allSatisfy({ leaving.contains($0) || hidden.contains($0) })
        else { return nil }
        count = first
        plainCount = hidden.isEmpty ? count : 0
        return leaving.count
    }
}

/// Devices that users have renamed or removed while the node runs.
extension Node {
    /// Applies changes of users: new names are in the next pulled rows, and removed devices are hidden.
    ///
    /// A renamed device gets a change number that is not published. So the controller pulls the row, which
    /// has the name. A device that is no longer listed as removed returns when the node starts again.
    mutating func use(_ changes: DeviceChanges, into effects: inout [Effect]) {
        let before = configuration.changes.names
        configuration.changes = changes
        devices.hide(changes.removed)
        let renamed = Set(before.keys).union(changes.names.keys).filter { before[$0] != changes.names[$0] }
        let slots = renamed.compactMap(devices.hostedSlot(of:)).sorted()
        for slot in slots { devices.renumber(slot) }
        if !slots.isEmpty { send(.ping(), into: &effects) }
    }

    /// Removes the publications of hidden devices from the effects of a step.
    ///
    /// - Parameter start: The number of effects before the step.
    func hideRemoved(in effects: inout [Effect], from start: Int) {
        guard effects.count > start else { return }
        let made = effects[start...].compactMap { effect -> Effect? in
            switch effect {
            case .publish(let row): return devices.hostedSlot(of: row.device) == nil ? nil : effect
            case .measured(let measured):
                let shown = measured.filter { devices.hostedSlot(of: $0.device) != nil }
                return shown.isEmpty ? nil : .measured(shown)
            case .remember, .send, .crash, .readScenario, .connect, .refused: return effect
            }
        }
        effects.replaceSubrange(start..., with: made)
    }
}
