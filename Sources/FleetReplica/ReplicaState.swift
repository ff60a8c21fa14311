package import FleetProtocol

/// The state of a whole replica, from which another replica continues in the same way. The rows are
/// equivalent chunks of a snapshot. The state of a device before its last change is not included.
package struct ReplicaState: Sendable {
    let at: Moment
    let connection: ConnectionState
    let position: StreamPosition
    let continuity: StreamContinuity
    let receivedAt: MonotonicTime
    let updateCount: UInt64
    let snapshotCount: UInt64
    let pullNumber: UInt64
    let roundNumber: UInt32
    /// The seed of its random delays from now on.
    package let seed: UInt64
    package let chunkCount: UInt32
}

extension ReplicaState {
    /// Captures the state of a replica, whose random delays then use the seed; nil if the replica is
    /// incomplete.
    package init?(of replica: inout Replica, seed: UInt64, chunkCount: Int, at now: Moment) {
        guard replica.isSettled, let receivedAt = replica.stream.receivedAt else { return nil }
        replica.reseed(seed)
        at = now
        connection = replica.connection
        position = replica.position
        continuity = replica.stream.continuity
        self.receivedAt = receivedAt
        updateCount = replica.updateCount
        snapshotCount = replica.snapshotCount
        pullNumber = replica.snapshot.pullNumber
        roundNumber = replica.snapshot.roundNumber
        self.seed = seed
        self.chunkCount = UInt32(chunkCount)
    }
}

extension Replica {
    /// Whether the replica is complete and has received all updates that its rows include.
    package var isSettled: Bool {
        guard isWhole, case .whole = snapshot.phase, !hasUnwrittenRows,
            let received = stream.continuity.received
        else { return false }
        let receivedTo = StreamPosition(epoch: epoch, sequence: received)
        return devices.rows.allSatisfy { $0.isRemoved || $0.written.newest <= receivedTo }
            && tables.nodes.nodes.allSatisfy { $0.presenceAt <= receivedTo }
    }

    /// Returns equivalent chunks of a snapshot, each within the limits of the protocol.
    package func chunks() -> [SnapshotChunk] {
        let (nodes, groups) = (tables.nodes, tables.groups)
        var draft = ChunkDraft(position: position)
        for (index, place) in nodes.numbered {
            guard let name = nodes[place].name else { continue }
            draft.add(SnapshotChunk.Node(index: index, name: name, presence: nodes[place].presence))
        }
        for group in groups.numbered { draft.add(group) }
        let indices = Dictionary(nodes.numbered.map { ($0.place, $0.index) }) { first, _ in first }
        let numbers = groups.numbersByPlace
        for row in devices.rows where !row.isRemoved {
            draft.add(
                SnapshotChunk.Row(
                    device: row.device, name: row.name,
                    node: indices[row.node] ?? NodeIndex(UInt64(UInt32.max)),
                    group: numbers[row.group] ?? .none, reported: row.reported, isConnected: row.isConnected,
                    connectedSince: row.connectedSince, asOf: row.asOf, cause: row.cause,
                    measured: row.measured, settings: settings(of: row.device)))
        }
        return draft.finish()
    }

    /// Creates a replica that continues from a state; fails if state and chunks do not match.
    package init(_ state: ReplicaState, chunks: [SnapshotChunk]) throws(RecordError) {
        self.init(random: SeededGenerator(seed: state.seed))
        var effects: [Effect] = []
        step(.connection(.established), at: state.at, into: &effects)
        let beat = StreamUpdate(
            epoch: state.position.epoch, sequence: state.position.sequence, at: state.at.wall, body: .beat)
        step(.update(beat), at: state.at, into: &effects)
        // Recordings of earlier versions announce no number of devices.
        snapshot.expect(rows: chunks.reduce(0) { $0 + $1.rows.count })
        for chunk in chunks {
            guard case .pulling(let round) = snapshot.phase, let pull = round.nextPull else { break }
            step(.chunk(chunk, answering: pull), at: state.at, into: &effects)
        }
        writeRows(into: &effects)
        guard isWhole, chunks.count == state.chunkCount else { throw .malformed(field: "state") }
        restore(state)
    }
}

private struct ChunkDraft {
    private static let room = Limits.chunkBytes - SnapshotChunk.frameBytesAtMost

    let position: StreamPosition
    private var bytesLeft = Self.room
    private var nodes: [SnapshotChunk.Node] = []
    private var groups: [SnapshotChunk.Group] = []
    private var rows: [SnapshotChunk.Row] = []
    private var chunks: [SnapshotChunk] = []

    init(position: StreamPosition) { self.position = position }

    mutating func add(_ node: SnapshotChunk.Node) {
        makeRoom(node.bytesAtMost)
        nodes.append(node)
    }

    mutating func add(_ group: SnapshotChunk.Group) {
        makeRoom(group.bytesAtMost)
        groups.append(group)
    }

    mutating func add(_ row: SnapshotChunk.Row) {
        if rows.count == Limits.chunkRows { close(isLast: false) }
        makeRoom(row.bytesAtMost)
        rows.append(row)
    }

    mutating func finish() -> [SnapshotChunk] {
        close(isLast: true)
        return chunks
    }

    private mutating func makeRoom(_ bytes: Int) {
        if bytes > bytesLeft { close(isLast: false) }
        bytesLeft -= bytes
    }

    private mutating func close(isLast: Bool) {
        chunks.append(
            SnapshotChunk(
                epoch: position.epoch, sequence: position.sequence, nextCursor: UInt32(chunks.count + 1),
                isLast: isLast, nodes: nodes, groups: groups, rows: rows))
        (nodes, groups, rows, bytesLeft) = ([], [], [], Self.room)
    }
}
