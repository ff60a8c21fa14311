import FleetProtocol
import Stepping

/// The snapshot of an account, chunk by chunk: first its nodes, then its groups, then its devices.
///
/// A cursor counts places that never move: one for each node that there may be, then one for each group, then
/// one for each device's slot.
extension RequestEngine {
    /// Places looked at for one chunk at most, whoever's they are.
    private static let placesPerChunk = 65_536

    /// The place of the first device.
    private static let firstDevice = Directory.nodesAtMost + Limits.accountGroups

    /// A chunk in the making.
    private struct Draft {
        /// The next place to look at.
        var place: Int
        var bytesLeft = Limits.chunkBytes - SnapshotChunk.frameBytesAtMost
        var nodes: [SnapshotChunk.Node] = []
        var groups: [SnapshotChunk.Group] = []
        var rows: [SnapshotChunk.Row] = []

        /// Whether there is room for that many bytes; if so, they are taken.
        mutating func take(_ bytes: Int) -> Bool {
            guard bytes <= bytesLeft else { return false }
            bytesLeft -= bytes
            return true
        }
    }

    /// - Parameter end: The place to stop at, once past nodes and groups; 0 for none.
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
        directory.nodes.reduce(0) { $1.account == account ? $0 + $1.devices : $0 }
    }

    private func addNodes(of account: AccountIndex, to draft: inout Draft) {
        while draft.place < directory.nodes.count {
            let record = directory.nodes[draft.place]
            if record.account == account, record.kind == .node {
                let node = SnapshotChunk.Node(
                    index: record.index, name: record.name, presence: record.presence)
                guard draft.take(node.bytesAtMost) else { return }
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
            guard draft.take(group.bytesAtMost) else { return }
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
                let row = snapshotRow(of: device)
                guard draft.take(row.bytesAtMost) else { return }
                draft.rows.append(row)
            }
            draft.place += 1
        }
    }

    func snapshotRow(of device: DeviceRecord) -> SnapshotChunk.Row {
        SnapshotChunk.Row(
            device: device.id, name: device.name, node: directory.nodes[device.node].index,
            group: device.group, reported: device.reported, isConnected: device.isConnected,
            connectedSince: device.connectedSince, asOf: device.asOf, cause: device.cause,
            measured: device.measurements.map { SnapshotChunk.Measured($0, at: device.measuredAt) },
            settings: directory.settings.isEmpty ? nil : directory.settings[device.id])
    }
}
