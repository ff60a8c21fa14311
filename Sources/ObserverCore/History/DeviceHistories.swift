import FleetProtocol
import FleetReplica

/// The histories of devices, of a bounded number however large the fleet is.
///
/// Up to ``limit`` devices each have one from the first thing that is heard of them. Where there are more,
/// those have one that were on the screen lately: a device that comes on it takes the place of one that is
/// not. A history takes 0.6 kB from its first event on, all of them 9 MB.
struct DeviceHistories: Sendable {
    /// How many devices have a history: more than a screen has lines.
    static let limit = 16_384

    private let limit: Int
    private var histories: [DeviceHistory] = []
    private var places = DeviceIndex()
    private var actors = Actors()
    private var nodes = NodeHistories()
    /// Places of devices that have left.
    private var free: [Int] = []
    /// Where the search for a place to give away goes on.
    private var hand = 0
    private var frame: UInt64 = 0

    init(limit: Int = limit) {
        self.limit = limit
    }

    /// How many devices have a history.
    var count: Int { histories.count - free.count }

    subscript(device: DeviceID) -> DeviceHistory? { known(device).map { histories[$0] } }

    /// The temperatures of a device's room, oldest first, in tenths of a degree Celsius.
    func deciCelsius(of device: DeviceID) -> [Int16] {
        known(device).map { histories[$0].deciCelsius.values } ?? []
    }

    /// What happened to a device last, and to the node that it lives on, oldest first.
    ///
    /// - Parameter node: The node; nil where nobody knows.
    func events(of device: DeviceID, on node: NodeName?) -> [HistoryEvent] {
        let own = known(device).map { histories[$0].events.values } ?? []
        let shared = node.map { nodes[$0] } ?? []
        guard !shared.isEmpty else { return own }
        // Of the same moment the node's comes first: it is the reason.
        return (shared + own).enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .map(\.element)
    }

    /// Takes what an event says of devices, or of a node.
    mutating func take(_ event: ObserverEvent) {
        switch event.body {
        case .fleet(.measured(let devices)):
            for measured in devices {
                if let place = place(of: measured.device) { histories[place].note(measured.measurements) }
            }
        case .fleet(.removed(let device)): remove(device.id)
        case .fleet(.node(let change)):
            if let entry = HistoryEvent(event, actors: &actors) { nodes.note(entry, of: change.node) }
        case .fleet(.reported), .fleet(.presence), .fleet(.outcome), .fleet(.settings), .fleet(.added),
            .fleet(.connection), .fleet(.stale), .fleet(.resync), .notice:
            guard let device = event.device, let entry = HistoryEvent(event, actors: &actors) else { return }
            if let place = place(of: device.id) { histories[place].note(entry) }
        }
    }

    /// Takes which rows are on the screen: their devices have a history from now on, as far as there is room
    /// for so many, and those of the others may make room.
    ///
    /// - Parameter devices: How many devices there are in all: room for their histories is taken at once, so
    ///   that it need not be moved into more and more of it.
    mutating func show(_ rows: [ReplicaRow], of devices: Int) {
        if histories.capacity < min(devices, limit) { histories.reserveCapacity(min(2 * devices, limit)) }
        frame += 1
        for row in rows {
            if let place = known(row.device) { histories[place].shownIn = frame }
        }
        for row in rows {
            guard let place = known(row.device) ?? makeRoom(for: row.device) else { continue }
            histories[place].shownIn = frame
            // What the snapshot said is a beginning.
            if histories[place].deciCelsius.isEmpty, let measured = row.measured {
                histories[place].note(measured.measurements)
            }
        }
    }

    /// Where a device's history is; nil where it has none.
    private func known(_ device: DeviceID) -> Int? { places.slot(of: device) { histories[$0].device } }

    /// Where a device's history is, begun where there is room for one more.
    private mutating func place(of device: DeviceID) -> Int? {
        if let place = known(device) { return place }
        guard !free.isEmpty || histories.count < limit else { return nil }
        return begin(device)
    }

    /// A place for a device on the screen; nil when every other is on it too.
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
        forget(device)
        histories[place] = DeviceHistory(of: device)
        free.append(place)
    }

    private mutating func forget(_ device: DeviceID) {
        let histories = histories
        places.remove(device) { histories[$0].device }
    }
}

/// What is remembered of one device beyond its row: its room's temperatures, and what happened to it last.
///
/// All of it lies in one place and has its full size from the start, so that nothing that is heard later
/// takes more memory.
struct DeviceHistory: Sendable {
    /// Temperatures that are kept, in tenths of a degree Celsius: 48 minutes of them, since a pod measures
    /// every 90 s.
    typealias Temperatures = InlineRing<32, Int16>
    /// Events that are kept.
    typealias Events = InlineRing<8, HistoryEvent>

    let device: DeviceID
    /// The number of the frame that showed the device last; 0 before the first.
    var shownIn: UInt64 = 0
    private(set) var deciCelsius = Temperatures(filler: 0)
    private(set) var events = Events(filler: .blank)

    init(of device: DeviceID) {
        self.device = device
    }

    mutating func note(_ measured: Measurements) {
        deciCelsius.append(measured.deciCelsius)
    }

    mutating func note(_ event: HistoryEvent) {
        events.append(event)
    }
}

/// The comings and goings of nodes: each kept once, and not with each device that lives there.
struct NodeHistories: Sendable {
    /// Events of a node that are kept.
    typealias Events = InlineRing<8, HistoryEvent>

    /// Nodes that are kept at most; beyond, all are begun anew.
    static let limit = 1_024

    private var events: [NodeName: Events] = [:]

    /// How many nodes have a history.
    var count: Int { events.count }

    /// What happened to a node last, oldest first.
    subscript(node: NodeName) -> [HistoryEvent] { events[node]?.values ?? [] }

    mutating func note(_ event: HistoryEvent, of node: NodeName) {
        if events[node] == nil, events.count >= Self.limit { events.removeAll(keepingCapacity: true) }
        events[node, default: Events(filler: .blank)].append(event)
    }
}
