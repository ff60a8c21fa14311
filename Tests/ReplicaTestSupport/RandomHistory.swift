package import FleetProtocol
package import FleetReplica

/// A controller with a fleet that changes at random, and two unreliable links to an observer.
package struct RandomHistory {
    package struct Device: Equatable {
        package var name: String
        package var node: String
        package var state: DeviceState
        package var isConnected: Bool
    }

    package private(set) var slots: [DeviceID?] = []
    package private(set) var devices: [DeviceID: Device] = [:]
    package private(set) var presences: [String: Presence.Kind] = [:]
    package var isLossy = true

    /// Few slots, but several ranges.
    private static let cursorsASlot: UInt32 = 200

    /// Whether the controller reports the end of the slots, so that several chunks are in flight at a time.
    private let reportsEnd: Bool
    private var epoch: UInt64 = 5
    private var sequence: UInt64 = 0
    private var indices: [String: UInt64] = [:]
    private var stream: [(due: MonotonicTime, update: StreamUpdate)] = []
    private var questions: [(due: MonotonicTime, pull: Replica.Pull)] = []
    private var answers: [(due: MonotonicTime, pull: Replica.Pull, chunk: SnapshotChunk?)] = []
    private var nextDevice: UInt64 = 0
    private var nextBeat = Fixture.start.monotonic
    private var lastStreamDue = Fixture.start.monotonic
    private var random: SeededGenerator

    package init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        reportsEnd = !seed.isMultiple(of: 4)
        for name in ["node-1", "node-2", "node-3"] { presences[name] = .online }
        renumberNodes()
        for _ in 0..<12 { add(at: Fixture.start) }
        stream = []
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func delay(_ longest: Int64) -> Duration {
        .milliseconds(Int64.random(in: 0...longest, using: &random))
    }

    private mutating func renumberNodes() {
        var numbers: [UInt64] = [1, 2, 3]
        numbers.shuffle(using: &random)
        for (name, number) in zip(["node-1", "node-2", "node-3"], numbers) { indices[name] = number }
    }

    private mutating func publish(_ body: StreamUpdate.Body, at now: Moment) {
        if body != .beat { sequence += 1 }
        let update = StreamUpdate(
            epoch: Epoch(epoch), sequence: StreamSequence(sequence), at: now.wall, body: body)
        guard !isLossy || !chance(3) else { return }
        lastStreamDue = max(lastStreamDue, now.monotonic.advanced(by: delay(40)))
        stream.append((lastStreamDue, update))
        if isLossy, chance(5) { stream.append((lastStreamDue, update)) }
    }

    private func row(_ id: DeviceID, _ device: Device) -> SnapshotChunk.Row {
        SnapshotChunk.Row(
            device: id, name: device.name, node: NodeIndex(indices[device.node] ?? 0),
            reported: device.state, isConnected: device.isConnected, connectedSince: Fixture.start.wall,
            asOf: Fixture.start.wall)
    }

    private mutating func add(at now: Moment) {
        let id = DeviceID(fleetSeed: 9, index: nextDevice)
        nextDevice += 1
        let node = "node-\(Int.random(in: 1...3, using: &random))"
        let device = Device(
            name: "Room \(nextDevice)", node: node,
            state: Fixture.state(version: 1, incarnation: Incarnation(bits: random.next())), isConnected: true
        )
        devices[id] = device
        slots.append(id)
        publish(.added(row(id, device)), at: now)
    }

    /// One change of the fleet, or a restart of the controller.
    package mutating func change(at now: Moment) throws {
        let living = slots.compactMap { $0 }
        guard let id = living.randomElement(using: &random), let device = devices[id] else {
            return add(at: now)
        }
        switch Int.random(in: 0..<100, using: &random) {
        case ..<55:
            let old = device.state
            let new = DeviceState(
                state: old.state.applying(ACStateChange(isOn: !old.state.isOn)), version: old.version.next,
                incarnation: old.incarnation)
            devices[id]?.state = new
            publish(.reported(id, new), at: now)
        case ..<75:
            devices[id]?.isConnected.toggle()
            publish(.connection(id, isConnected: !device.isConnected), at: now)
        case ..<85: try changeNode(device.node, at: now)
        case ..<91: add(at: now)
        case ..<97:
            devices[id] = nil
            slots = slots.map { $0 == id ? nil : $0 }
            publish(.removed(id), at: now)
        default:
            epoch += 1
            sequence = 0
            renumberNodes()
            questions = []
        }
    }

    private mutating func changeNode(_ name: String, at now: Moment) throws {
        let kinds: [Presence.Kind] = [.online, .stale, .offline(.nodeLost), .offline(.nodeLeft)]
        presences[name] = kinds.randomElement(using: &random)
        let count = devices.values.count { $0.node == name }
        publish(.node(try node(name), devices: UInt32(count)), at: now)
    }

    private func node(_ name: String) throws -> SnapshotChunk.Node {
        try Fixture.node(indices[name] ?? 0, name, presences[name] ?? .unknown)
    }

    package mutating func ask(_ pull: Replica.Pull, at now: Moment) {
        questions.append((now.monotonic.advanced(by: delay(30)), pull))
    }

    /// The messages that reach the observer by that moment.
    package mutating func deliver(at now: Moment) throws -> [Replica.Input] {
        if nextBeat <= now.monotonic {
            publish(.beat, at: now)
            nextBeat = now.monotonic.advanced(by: Limits.beatInterval)
        }
        for question in questions.filter({ $0.due <= now.monotonic }) {
            let answer = isLossy && chance(10) ? nil : try chunk(question.pull)
            answers.append((now.monotonic.advanced(by: delay(60)), question.pull, answer))
        }
        questions.removeAll { $0.due <= now.monotonic }
        var inputs: [Replica.Input] = []
        for answer in answers.filter({ $0.due <= now.monotonic }) {
            inputs.append(answer.chunk.map { .chunk($0, answering: answer.pull) } ?? .pullFailed(answer.pull))
        }
        answers.removeAll { $0.due <= now.monotonic }
        inputs += stream.filter { $0.due <= now.monotonic }.map { .update($0.update) }
        stream.removeAll { $0.due <= now.monotonic }
        return inputs
    }

    /// At most three slots from the cursor on.
    private func chunk(_ pull: Replica.Pull) throws -> SnapshotChunk {
        let bound = pull.end == 0 ? slots.count : min(slots.count, Int(pull.end / Self.cursorsASlot))
        let start = min(bound, Int(pull.cursor / Self.cursorsASlot))
        let end = min(bound, start + 3)
        let living = slots[start..<end].compactMap { $0 }
        return SnapshotChunk(
            epoch: Epoch(epoch), sequence: StreamSequence(sequence),
            nextCursor: UInt32(end) * Self.cursorsASlot, isLast: end == slots.count,
            endCursor: reportsEnd ? UInt32(slots.count) * Self.cursorsASlot : 0,
            deviceCount: pull.cursor == 0 ? UInt32(devices.count) : 0,
            nodes: try presences.keys.sorted().map(node),
            rows: living.compactMap { id in devices[id].map { row(id, $0) } })
    }
}
