package import FleetProtocol
package import FleetReplica

/// A replica with its clock, its pulls and its events so far.
package struct ReplicaDriver {
    package var replica: Replica
    package var now = Fixture.start
    package var pulls: [Replica.Pull] = []
    package var events: [FleetEvent] = []

    package init(seed: UInt64 = 1) {
        replica = Replica(random: SeededGenerator(seed: seed))
    }

    /// A connected replica that has sent its first pull.
    package static func joining() -> ReplicaDriver {
        var driver = ReplicaDriver()
        driver.step(.connection(.established))
        return driver
    }

    /// A connected and whole replica of those rows, with the update of number 10 of epoch 7.
    package static func whole(
        _ rows: [SnapshotChunk.Row] = [Fixture.row(1), Fixture.row(2)], nodes: [SnapshotChunk.Node]? = nil,
        groups: [SnapshotChunk.Group] = []
    ) throws -> ReplicaDriver {
        var driver = ReplicaDriver.joining()
        driver.receive(Fixture.update(7, 10, .beat))
        try driver.answer(Fixture.chunk(7, 10, rows: rows, nodes: nodes, groups: groups))
        driver.clear()
        return driver
    }

    /// A connected and whole replica of devices with those names, from number 0 on.
    package static func whole(names: [String]) throws -> ReplicaDriver {
        try whole(names.enumerated().map { Fixture.row($0, name: $1) })
    }

    package mutating func step(_ input: Replica.Input) {
        var effects: [Replica.Effect] = []
        replica.step(input, at: now, into: &effects)
        for effect in effects {
            switch effect {
            case .pull(let pull): pulls.append(pull)
            case .event(let event): events.append(event)
            }
        }
        if replica.hasUnwrittenRows { step(.tick) }
    }

    package mutating func receive(_ update: StreamUpdate) {
        step(.update(update))
    }

    /// Receives the next update of the stream; a beat has the number of the last one.
    @discardableResult
    package mutating func receive(_ body: StreamUpdate.Body) -> StreamUpdate {
        let last = replica.position
        let sequence = body == .beat ? last.sequence : last.sequence.next
        let update = StreamUpdate(epoch: last.epoch, sequence: sequence, at: Fixture.start.wall, body: body)
        receive(update)
        return update
    }

    /// Answers the newest pull.
    package mutating func answer(_ chunk: SnapshotChunk) throws {
        guard let pull = pulls.last else { throw MissingPull() }
        step(.chunk(chunk, answering: pull))
    }

    /// Advances the time, with a tick every 10 ms.
    package mutating func pass(_ duration: Duration) {
        let end = now.monotonic.advanced(by: duration)
        while now.monotonic < end {
            now = now.advanced(by: min(.milliseconds(10), now.monotonic.duration(to: end)))
            step(.tick)
        }
    }

    /// Advances the time until it pulls, for at most 300 ms: the longest jitter and a little.
    package mutating func passUntilPull() {
        let count = pulls.count
        for _ in 0..<30 where pulls.count == count { pass(.milliseconds(10)) }
    }

    /// Clears the pulls and events.
    package mutating func clear() {
        pulls = []
        events = []
    }

    package struct MissingPull: Error {}
}
