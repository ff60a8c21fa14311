import FleetProtocol
import FleetReplica

/// The histories of a bounded number of devices, independent of the size of the fleet.
///
/// Up to ``limit`` devices have a history from their first event on. In a larger fleet, the devices shown on
/// the screen replace devices that are not shown. A history takes 0.6 kB from its first event on, all
/// histories together 9 MB.
struct DeviceHistories: Sendable {
    /// The largest number of histories: more than a screen has lines.
    static let limit = 16_384

    private let limit: Int
    private var histories: [DeviceHistory] = []
    private var places = DeviceIndex()
    private var users = Users()
    private var nodes = NodeHistories()
    /// Free slots of devices that were removed.
    private var free: [Int] = []
    /// The clock hand: the slot where the next search for a history to evict begins.
    private var hand = 0
    private var frame: UInt64 = 0

    init(limit: Int = limit) { self.limit = limit }

    var count: Int { histories.count - free.count }

    subscript(device: DeviceID) -> DeviceHistory? { known(device).map { histories[$0] } }

    /// The temperatures of a device's room, oldest first, in tenths of a degree Celsius.
    func deciCelsius(of device: DeviceID) -> [Int16] {
        known(device).map { histories[$0].deciCelsius.values } ?? []
    }

    /// The times from the arrival to the end of a device's last applied toggles, oldest first, microseconds.
    func togglesUs(of device: DeviceID) -> [UInt32] {
        known(device).map { histories[$0].togglesUs.values } ?? []
    }

    /// Returns the newest events of a device and of its node, if that is known, oldest first.
    func events(of device: DeviceID, on node: NodeName?) -> [HistoryEvent] {
        let own = known(device).map { histories[$0].events.values } ?? []
        let shared = node.map { nodes[$0] } ?? []
        guard !shared.isEmpty else { return own }
        // At equal times the node's event sorts first, because it is the cause.
        return (shared + own).enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .map(\.element)
    }

    mutating func handle(_ event: ObserverEvent) {
        switch event.body {
        case .fleet(.measured(let devices)):
            for measured in devices {
                if let place = place(of: measured.device) { histories[place].record(measured.measurements) }
            }
        case .fleet(.removed(let device)): remove(device.id)
        case .fleet(.node(let change)):
            if let entry = HistoryEvent(event, users: &users) { nodes.record(entry, of: change.node) }
        case .fleet(.reported), .fleet(.presence), .fleet(.outcome), .fleet(.settings), .fleet(.added),
            .fleet(.connection), .fleet(.stale), .fleet(.resync), .fleet(.service), .notice:
            guard let device = event.device, let entry = HistoryEvent(event, users: &users),
                let place = place(of: device.id)
            else { return }
            histories[place].record(entry)
            if let spanUs = event.appliedToggleUs { histories[place].record(toggleUs: spanUs) }
        }
    }

    /// Records the rows on the screen: their devices get a history, if necessary in place of devices that are
    /// not shown. Memory for the histories of all devices is reserved at once.
    mutating func show(_ rows: [ReplicaRow], of devices: Int) {
        if histories.capacity < min(devices, limit) { histories.reserveCapacity(min(2 * devices, limit)) }
        frame += 1
        for row in rows {
            if let place = known(row.device) { histories[place].shownIn = frame }
        }
        for row in rows {
            guard let place = known(row.device) ?? makeRoom(for: row.device) else { continue }
            histories[place].shownIn = frame
            // The measurements of the snapshot are the first ones of the history.
            if histories[place].deciCelsius.isEmpty, let measured = row.measured {
                histories[place].record(measured.measurements)
            }
        }
    }

    private func known(_ device: DeviceID) -> Int? { places.slot(of: device) { histories[$0].device } }

    /// Returns the slot of a device's history, which is created if there is a free slot.
    private mutating func place(of device: DeviceID) -> Int? {
        if let place = known(device) { return place }
        guard !free.isEmpty || histories.count < limit else { return nil }
        return begin(device)
    }

    /// Returns a slot for a device on the screen; nil if all other devices with a history are shown too.
    private mutating func makeRoom(for device: DeviceID) -> Int? {
        if let place = place(of: device) { return place }
        for _ in 0..<histories.count {
            let candidate = hand
            hand = (hand + 1) % histories.count
            guard histories[candidate].shownIn < frame else { continue }
            remove(histories[candidate].device)
            return begin(device)
        }
        return nil
    }

    private mutating func begin(_ device: DeviceID) -> Int {
        let place = free.popLast() ?? histories.count
        if place == histories.count {
            histories.append(DeviceHistory(of: device))
        } else {
            histories[place] = DeviceHistory(of: device)
        }
        let histories = histories
        places.insert(device, at: place) { histories[$0].device }
        return place
    }

    private mutating func remove(_ device: DeviceID) {
        guard let place = known(device) else { return }
        unlist(device)
        histories[place] = DeviceHistory(of: device)
        free.append(place)
    }

    private mutating func unlist(_ device: DeviceID) {
        let histories = histories
        places.remove(device) { histories[$0].device }
    }
}

/// The history of one device: the temperatures of its room and its newest events. All values are stored
/// inline at their full size from the start, so later events allocate no memory.
struct DeviceHistory: Sendable {
    /// The stored temperatures, in tenths of a degree Celsius: 48 minutes, since a pod measures every 90 s.
    typealias Temperatures = InlineRing<32, Int16>
    typealias Events = InlineRing<8, HistoryEvent>
    /// The stored times of applied toggles, microseconds.
    typealias Toggles = InlineRing<5, UInt32>

    let device: DeviceID
    /// The number of the last frame that showed the device; 0 before the first.
    var shownIn: UInt64 = 0
    private(set) var deciCelsius = Temperatures(filler: 0)
    private(set) var events = Events(filler: .blank)
    private(set) var togglesUs = Toggles(filler: 0)

    init(of device: DeviceID) { self.device = device }
    mutating func record(_ measured: Measurements) { deciCelsius.append(measured.deciCelsius) }
    mutating func record(_ event: HistoryEvent) { events.append(event) }
    mutating func record(toggleUs: UInt32) { togglesUs.append(toggleUs) }
}

extension ObserverEvent {
    /// The time that an applied toggle took at the controller, microseconds; nil for any other event.
    fileprivate var appliedToggleUs: UInt32? {
        guard case .fleet(.outcome(let end)) = body, end.report.command == .toggle,
            case .applied = end.report.outcome
        else { return nil }
        return UInt32(clamping: end.report.timing.totalUs)
    }
}

/// The presence events of nodes, stored once per node and not with each of its devices.
struct NodeHistories: Sendable {
    typealias Events = InlineRing<8, HistoryEvent>

    /// The largest number of nodes with a history; one more node clears all histories.
    static let limit = 1_024

    private var events: [NodeName: Events] = [:]

    subscript(node: NodeName) -> [HistoryEvent] { events[node]?.values ?? [] }

    mutating func record(_ event: HistoryEvent, of node: NodeName) {
        if events[node] == nil, events.count >= Self.limit { events.removeAll(keepingCapacity: true) }
        events[node, default: Events(filler: .blank)].append(event)
    }
}
