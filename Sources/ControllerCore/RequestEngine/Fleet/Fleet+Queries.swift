import FleetProtocol

/// The snapshot of an account, chunk by chunk: first its nodes, then its groups, then its devices. A cursor
/// counts places that never move: one for each node that there may be, then one for each group, then one for
/// each device's slot.
extension Fleet {
    /// The number of places scanned for one chunk, over all accounts.
    private static let placesPerChunk = 65_536
    private static let firstDevice = Directory.nodesAtMost + Limits.accountGroups

    private struct Draft {
        var place: Int
        var bytesLeft = Limits.chunkBytes - SnapshotChunk.frameBytesAtMost
        var nodes: [SnapshotChunk.Node] = []
        var groups: [SnapshotChunk.Group] = []
        var rows: [SnapshotChunk.Row] = []

        /// Reserves bytes in the chunk; returns false if they do not fit.
        mutating func reserve(_ bytes: Int) -> Bool {
            guard bytes <= bytesLeft else { return false }
            bytesLeft -= bytes
            return true
        }
    }

    /// Returns a chunk of the snapshot, up to the place `end` after the nodes and groups; 0 for no limit.
    func snapshot(
        of account: AccountIndex, from cursor: UInt32, to end: UInt32, at now: Moment
    ) -> SnapshotChunk {
        let places = Self.firstDevice + directory.devices.count
        var draft = Draft(place: min(Int(cursor), places))
        addNodes(of: account, to: &draft)
        addGroups(of: account, to: &draft)
        addRows(of: account, upTo: end == 0 ? places : min(Int(end), places), to: &draft)
        return SnapshotChunk(
            epoch: epoch, sequence: directory.accounts[Int(account)].sequence,
            nextCursor: UInt32(draft.place), isLast: draft.place == places,
            isSettling: isSettling(account, at: now.monotonic), endCursor: UInt32(places),
            deviceCount: cursor == 0 ? deviceCount(of: account) : 0, nodes: draft.nodes,
            groups: draft.groups, rows: draft.rows)
    }

    private func deviceCount(of account: AccountIndex) -> UInt32 {
        directory.nodes.reduce(UInt32(directory.awaited.count(of: account))) {
            $1.account == account ? $0 + $1.devices : $0
        }
    }

    private func addNodes(of account: AccountIndex, to draft: inout Draft) {
        while draft.place < directory.nodes.count {
            let record = directory.nodes[draft.place]
            if record.account == account, record.kind == .node {
                let node = SnapshotChunk.Node(
                    index: record.index, name: record.name, presence: record.presence)
                guard draft.reserve(node.bytesAtMost) else { return }
                draft.nodes.append(node)
            }
            draft.place += 1
        }
        draft.place = max(draft.place, Directory.nodesAtMost)
    }

    private func addGroups(of account: AccountIndex, to draft: inout Draft) {
        guard draft.place >= Directory.nodesAtMost else { return }
        let groups = directory.accounts[Int(account)].groups.groups
        while draft.place < Directory.nodesAtMost + groups.count {
            let place = draft.place - Directory.nodesAtMost
            let group = SnapshotChunk.Group(number: GroupNumber(UInt16(place + 1)), group: groups[place])
            guard draft.reserve(group.bytesAtMost) else { return }
            draft.groups.append(group)
            draft.place += 1
        }
        draft.place = max(draft.place, Self.firstDevice)
    }

    private func addRows(of account: AccountIndex, upTo last: Int, to draft: inout Draft) {
        guard draft.place >= Self.firstDevice else { return }
        let end = min(last, draft.place + Self.placesPerChunk)
        while draft.place < end, draft.rows.count < Limits.chunkRows {
            let device = directory.devices[draft.place - Self.firstDevice]
            if device.account == account, !device.isRemoved, !device.isAwaited {
                let row = directory.snapshotRow(of: device)
                guard draft.reserve(row.bytesAtMost) else { return }
                draft.rows.append(row)
            }
            draft.place += 1
        }
    }
}

/// The status of an account's devices, and counters for monitoring.
extension Fleet {
    /// - Parameter pending: The number of open requests of all accounts.
    func status(of account: AccountIndex, pending: Int, at now: MonotonicTime) -> StatusReport {
        var report = StatusReport(
            epoch: epoch, togglesPerSecond: Double(meter.endedPerSecond), pending: UInt32(pending),
            loopLagUs: meter.longestTurn.wholeMicroseconds)
        for node in directory.nodes where node.account == account && node.kind == .node {
            report.devices += node.devices
            switch node.presence.kind {
            case .online: report.online += node.connectedDevices
            case .stale: report.stale += node.connectedDevices
            case .offline: report.offline += node.devices
            case .unknown: report.unknown += node.devices
            }
            guard node.isReachable else { continue }
            report.disconnected += node.devices - node.connectedDevices
            report.offline += node.devices - node.connectedDevices
        }
        report.conflicts = Array(conflicts(of: account, at: now).prefix(Limits.nodeConflicts))
        let awaited = UInt32(directory.awaited.count(of: account))
        report.devices += awaited
        if isSettling(account, at: now) { report.unknown += awaited } else { report.offline += awaited }
        return report
    }

    /// Nodes with another process that was refused within the last lease.
    private func conflicts(of account: AccountIndex, at now: MonotonicTime) -> [NodeConflict] {
        directory.nodes.lazy.filter { $0.account == account && $0.isHeld }.flatMap { node in
            node.link.rivals.filter { $0.receivedAt.duration(to: now) < Limits.lease }.map {
                NodeConflict(node: node.name, serving: node.run, refused: $0.run)
            }
        }
    }

    /// Returns the counters of the controller and of some of an account's reachable nodes. The cursor is a
    /// node's slot. Unreachable nodes are left out, because their processes may have ended.
    func counters(of account: AccountIndex, from cursor: UInt32) -> CounterReport {
        var nodes: [CounterReport.Node] = []
        var slot = min(Int(cursor), directory.nodes.count)
        while slot < directory.nodes.count, nodes.count < Limits.counterNodes {
            let node = directory.nodes[slot]
            if let counters = node.boot.counters, node.account == account, node.isReachable {
                nodes.append(
                    CounterReport.Node(
                        name: node.name, counters: counters, host: node.host, devices: node.devices))
            }
            slot += 1
        }
        return CounterReport(
            controller: meter.counters, nodes: nodes, nextCursor: UInt32(slot),
            isLast: slot == directory.nodes.count)
    }
}
