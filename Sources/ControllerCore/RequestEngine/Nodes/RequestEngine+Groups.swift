import FleetProtocol
import Stepping

/// Groups of devices: nodes name theirs by places in their hello, observers hear of numbers in the account.
extension RequestEngine {
    /// Takes the groups of a node's hello; who watches hears of those that are new before of any device in
    /// them.
    mutating func take(
        _ groups: [DeviceGroup], of node: NodeSlot, at now: Moment, into effects: inout Effects
    ) {
        let account = directory.nodes[node].account
        var numbers: [GroupNumber] = []
        numbers.reserveCapacity(groups.count)
        for group in groups {
            if let known = directory.accounts[Int(account)].groups.number(of: group) {
                numbers.append(known)
            } else if let new = directory.accounts[Int(account)].groups.add(group) {
                numbers.append(new)
                publish(
                    .group(SnapshotChunk.Group(number: new, group: group)), to: account, at: now,
                    into: &effects)
            } else {
                numbers.append(.none)
            }
        }
        directory.nodes[node].groups = numbers
    }

    /// Whether every row is of a group that its node has named.
    func groupsHold(in rows: [RowChunk.Row], of node: NodeSlot) -> Bool {
        let count = max(1, directory.nodes[node].groups.count)
        return rows.allSatisfy { Int($0.group) < count }
    }

    /// The number of a row's group in its account.
    func group(of row: RowChunk.Row, at node: NodeSlot) -> GroupNumber {
        let groups = directory.nodes[node].groups
        return Int(row.group) < groups.count ? groups[Int(row.group)] : .none
    }

    /// A device is called otherwise, or is of another group: its node has begun another scenario.
    mutating func relabel(
        _ device: DeviceSlot, as row: RowChunk.Row, at now: Moment, into effects: inout Effects
    ) {
        let record = directory.devices[device]
        let group = group(of: row, at: record.node)
        guard record.name != row.name || record.group != group else { return }
        directory.updateDevice(device) {
            $0.name = row.name
            $0.group = group
        }
        publish(
            .added(snapshotRow(of: directory.devices[device])), to: record.account, at: now, into: &effects)
    }
}
