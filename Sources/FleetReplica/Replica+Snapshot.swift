import FleetProtocol
import FleetTime

extension Replica {
    /// Handles the chunk that answers a pull; drops it if the pull is not awaited.
    mutating func take(
        _ chunk: SnapshotChunk, answering pull: Pull, at now: Moment, into effects: inout [Effect]
    ) {
        guard case .pulling(var round) = phase, round.receive(chunk, answering: pull) else { return }
        failures = 0
        if chunk.epoch < epoch {
            guard isSilent else { return failRound(at: now, into: &effects) }
            // A lower epoch means that the controller's store was replaced, so positions of the old one are
            // invalid.
            forgetPositions()
            enter(chunk.epoch, at: now, into: &effects)
            return
        }
        if chunk.epoch > epoch {
            enter(chunk.epoch, at: now, into: &effects)
            guard round.start == nil else { return }
        }
        while let (chunk, step) = round.takeChunk() {
            writeRows(into: &effects)
            let position = StreamPosition(epoch: chunk.epoch, sequence: chunk.sequence)
            if round.start == nil {
                guard continuity.begin(at: chunk.sequence) else { return failRound(at: now, into: &effects) }
                round.start = position
            }
            unwritten = Unwritten(
                chunk: chunk, position: position, round: round.number, mentioned: round.mentioned,
                heardAt: now.wall)
            round.mentioned += UInt32(chunk.rows.count)
            switch step {
            case .onward: break
            case .last:
                writeRows(into: &effects)
                return complete(round, at: now, into: &effects)
            case .stuck: return failRound(at: now, into: &effects)
            }
        }
        self.pull(round, at: now, into: &effects)
    }

    /// Writes what the last chunk has brought, if that was not done yet.
    package mutating func writeRows(into effects: inout [Effect]) {
        guard let unwritten else { return }
        self.unwritten = nil
        let (chunk, position, heardAt) = (unwritten.chunk, unwritten.position, unwritten.heardAt)
        for node in chunk.nodes {
            write(node, devices: nil, from: position, eventAt: heardAt, into: &effects)
        }
        for group in chunk.groups { groups.write(group) }
        if chunk.deviceCount > 0 { devices.reserve(Int(chunk.deviceCount)) }
        write(
            chunk.rows, from: position,
            mention: ReplicaRow.Mention(round: unwritten.round, order: unwritten.mentioned),
            eventAt: heardAt, into: &effects)
    }

    /// Begins the snapshot anew, after a moment.
    private mutating func failRound(at now: Moment, into effects: inout [Effect]) {
        phase = .waiting(newRound(), until: now.monotonic.advanced(by: jitter()))
    }

    private mutating func complete(_ round: SnapshotPass, at now: Moment, into effects: inout [Effect]) {
        guard let start = round.start else { preconditionFailure("a snapshot ended before its first chunk") }
        var isSorted = true
        var lastOrder: UInt32 = 0
        var gone: [Int] = []
        // Iterates by place, because iterating over rows would copy each row and retain its name.
        for place in devices.rows.indices where !devices.rows[place].isGone {
            let mention = devices.rows[place].mention
            if mention.round == round.number {
                isSorted = isSorted && mention.order >= lastOrder
                lastOrder = mention.order
            } else if devices.rows[place].newestAt > start {
                devices[place].mention.order = .max
                lastOrder = .max
            } else {
                gone.append(place)
            }
        }
        for row in gone.map({ devices[$0] }) {
            effects.append(.event(FleetEvent(at: now.wall, .removed(named(row)))))
            if let place = devices.place(of: row.device) { drop(place) }
        }
        if !isSorted { devices.sortBySlot() }
        let wasFull = held.isFull
        held.removeAll()
        snapshotCount += 1
        guard !wasFull else { return failRound(at: now, into: &effects) }
        phase = .whole
        settings.dropEmpty()
        settle(at: now, into: &effects)
    }

    /// Resets all positions to zero, because they belong to a controller whose store was replaced.
    private mutating func forgetPositions() {
        for place in devices.rows.indices {
            devices[place].reportedAt = .zero
            devices[place].connectionAt = .zero
            devices[place].placedAt = .zero
        }
        for place in nodes.nodes.indices { nodes[place].presenceAt = .zero }
        settings.forgetPositions()
    }
}
