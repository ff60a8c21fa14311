import FleetProtocol
import UserText

/// Nodes that come and go, with their groups and the devices that they had before.
extension Fleet {
    /// The nodes that open requests need; called only when the table of nodes is full.
    typealias NodesInUse = (borrowing Directory) -> Set<NodeSlot>

    /// Handles the hello of a new node, of a new boot of a known one, or of a known one on a new connection.
    /// Returns nil if the node is refused, or must repeat the hello first.
    mutating func greet(
        _ hello: NodeHello, in message: NodeMessage, at connection: ConnectionID, now: Moment,
        nodesInUse: NodesInUse, into effects: inout Effects
    ) -> NodeSlot? {
        do throws(NodeRefusal) {
            guard message.lastNumber.value <= Limits.largestOrdinal else { throw NodeRefusal.uncountable }
            guard let account = directory.accountMade(hello.account) else { throw NodeRefusal.noRoom }
            let known = directory.node(named: hello.node, of: account)
            // Telemetry identifies its node by the boot ID only.
            if let holder = directory.node(of: message.bootID), holder != known {
                throw NodeRefusal.borrowedBoot
            }
            guard let known else {
                return try add(hello, of: account, message.bootID, at: connection, now, nodesInUse)
            }
            let isNewBoot = directory.nodes[known].link.bootID != message.bootID
            guard isNewBoot || !directory.nodes[known].link.hasLeft else { throw NodeRefusal.left }
            guard isNewBoot, !planted(.lateHelloAccepted) else {
                directory.moveNode(known, to: connection, bootID: message.bootID)
                return known
            }
            let run = NodeRun(host: hello.host, bootID: message.bootID)
            return admits(run, at: connection, to: known, now: now.monotonic, into: &effects) ? known : nil
        } catch {
            meter.record(error)
            return nil
        }
    }

    /// Whether another boot of a node counts from now on; if not, it is asked, or refused.
    private mutating func admits(
        _ run: NodeRun, at connection: ConnectionID, to node: NodeSlot, now: MonotonicTime,
        into effects: inout Effects
    ) -> Bool {
        let (former, other) = (directory.nodes[node].run, directory.nodes[node].link.connection)
        let isHeld =
            directory.nodes[node].isHeld && other != connection && !planted(.secondProcessAccepted)
        let question = makePullNumber() | Self.firstQuestion
        let greeting = directory.nodes[node].link.greet(
            run, at: connection, isHeld: isHeld, question: question, at: now)
        switch greeting {
        case .ask(let question):
            requestHello(at: connection, into: &effects)
            guard let question else { return false }
            let pull = ControllerMessage.Body.pull(since: .zero, cursor: .max, number: question)
            for asked in [other, connection] { send(pull, at: asked, into: &effects) }
            timers.set(.boots(node), at: now.advanced(by: Limits.bootTimeout))
        case .wait: break
        case .refuse(let isNew): refuse(run, at: connection, by: node, isNew: isNew, into: &effects)
        case .accept(let hasRival):
            directory.moveNode(node, to: connection, bootID: run.bootID)
            directory.nodes[node].host = run.host
            guard hasRival else { return true }
            directory.nodes[node].link.refuse(former, at: now)
            refuse(former, at: other, by: node, isNew: true, into: &effects)
            return true
        }
        return false
    }

    /// Informs a boot of a node that another one is alive and has the devices.
    private mutating func refuse(
        _ run: NodeRun, at connection: ConnectionID, by node: NodeSlot, isNew: Bool,
        into effects: inout Effects
    ) {
        let serving = directory.nodes[node].run
        send(.refused(serving), at: connection, into: &effects)
        guard isNew else { return }
        conflicts.append(NodeConflict(node: directory.nodes[node].name, serving: serving, refused: run))
    }

    /// Records the answer to a question; once both boots have answered, the later hello is decided on.
    mutating func answered(_ question: UInt64, at connection: ConnectionID, into effects: inout Effects) {
        for node in directory.nodes.indices {
            guard let waiting = directory.nodes[node].link.answered(question, at: connection) else {
                continue
            }
            return requestHello(at: waiting, into: &effects)
        }
    }

    /// Decides on the hello of another boot, because the time of the boot that counts is over.
    mutating func bootsDue(_ node: NodeSlot, at now: MonotonicTime, into effects: inout Effects) {
        guard let waiting = directory.nodes[node].link.endQuestion(at: now) else { return }
        requestHello(at: waiting, into: &effects)
    }

    /// Distrusts the memory of a node's devices that later boots than the given one have reported.
    mutating func distrust(_ node: NodeSlot, after boot: UInt32) {
        directory.nodes[node].boot.isDistrusted = true
        for device in directory.devices.indices
        where directory.devices[device].node == node && directory.devices[device].boot > boot {
            directory.nodes[node].boot.lostMemory.insert(device)
        }
    }

    private mutating func add(
        _ hello: NodeHello, of account: AccountIndex, _ bootID: BootID, at connection: ConnectionID,
        _ now: Moment,
        _ nodesInUse: NodesInUse
    ) throws(NodeRefusal) -> NodeSlot {
        makeRoomForNode(nodesInUse)
        let node = directory.addNode { index in
            NodeRecord(
                index: index, name: hello.node, account: account, link: NodeLink(connection, bootID),
                lease: NodeLease(Presence(.unknown, since: now.wall), renewedAt: now.monotonic),
                devicesAnnounced: hello.devices)
        }
        guard let node else { throw NodeRefusal.noRoom }
        return node
    }

    /// Applies a hello to the record of its node, and publishes groups that are new.
    mutating func apply(
        _ hello: NodeHello, to node: NodeSlot, lastNumber: ChangeNumber, at now: Moment,
        into effects: inout Effects
    ) {
        directory.nodes[node].range = (hello.grant?.range).map(HostedRange.init)
        directory.nodes[node].host = SafeText.isVisible(hello.host) ? hello.host : ""
        directory.nodes[node].devicesAnnounced = hello.devices
        directory.nodes[node].lease.renew(at: now.monotonic)
        directory.nodes[node].boot.changes.announce(lastNumber)
        send(.pong(helloWanted: false), to: node, into: &effects)
        add(hello.groups, of: node, at: now, into: &effects)
    }

    mutating func pullMissing(
        of node: NodeSlot, lastNumber: ChangeNumber, at now: Moment, into effects: inout Effects
    ) {
        let record = directory.nodes[node]
        if record.boot.refusedFor.contains(where: { !directory.nodes[$0].isReachable }) {
            // The node claims devices of a lost node again, so its whole table is pulled again.
            directory.nodes[node].boot.refusedFor = []
            pullTable(of: node, lastNumber: lastNumber, at: now, into: &effects)
        } else if record.boot.changes.isIncomplete || directory.awaited.awaits(record.key) {
            startPull(of: node, at: now, into: &effects)
        }
    }

    /// Pulls the rows of a node again whose devices have not got their names, if a name was released since.
    mutating func pullNames(
        of node: NodeSlot, lastNumber: ChangeNumber, at now: Moment, into effects: inout Effects
    ) {
        guard let refusedAt = directory.nodes[node].boot.namesRefusedAt,
            refusedAt != directory.names.released,
            !directory.nodes[node].boot.changes.isPullingTable
        else { return }
        directory.nodes[node].boot.namesRefusedAt = nil
        pullTable(of: node, lastNumber: lastNumber, at: now, into: &effects)
    }

    private mutating func pullTable(
        of node: NodeSlot, lastNumber: ChangeNumber, at now: Moment, into effects: inout Effects
    ) {
        directory.nodes[node].boot.changes.clearArrivals()
        directory.nodes[node].boot.changes.announce(lastNumber)
        startPull(of: node, at: now, into: &effects)
    }

    /// Adds the groups of a node's hello, and publishes new ones before any device in them.
    private mutating func add(
        _ groups: [DeviceGroup], of node: NodeSlot, at now: Moment, into effects: inout Effects
    ) {
        let account = directory.nodes[node].account
        var numbers: [GroupNumber] = []
        numbers.reserveCapacity(groups.count)
        for group in groups {
            guard SafeText.isVisible(group.site), SafeText.isVisible(group.firmware) else {
                meter.record(.refusedName)
                numbers.append(.none)
                continue
            }
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

    // MARK: Slots of nodes and accounts

    /// Slots that are freed together at most: the search looks at every node.
    private static let freedTogether = 64

    /// Frees slots of nodes that have gone, if all are taken.
    private mutating func makeRoomForNode(_ nodesInUse: NodesInUse) {
        guard !directory.hasRoomForNode else { return }
        let idle = idleNodes(nodesInUse).sorted {
            (directory.nodes[$0].lease.renewedAt, $0) < (directory.nodes[$1].lease.renewedAt, $1)
        }
        for node in idle.prefix(Self.freedTogether) { directory.free(node) }
    }

    /// Unreachable nodes that no device, request or other node refers to.
    private func idleNodes(_ nodesInUse: NodesInUse) -> [NodeSlot] {
        let idle = directory.nodes.indices.filter { directory.nodes[$0].isIdle }
        guard !idle.isEmpty else { return [] }
        var needed = nodesInUse(directory)
        for node in directory.nodes { needed.formUnion(node.boot.refusedFor) }
        return idle.filter { !needed.contains($0) }
    }

    /// Frees slots of accounts that have neither devices nor requests, with the nodes that have left them.
    /// Accounts with users or other data stay.
    mutating func freeAccounts(
        retaining users: Set<AccountIndex>, nodesInUse: NodesInUse, hasData: (AccountIndex) -> Bool
    ) -> [AccountIndex] {
        let idle = idleNodes(nodesInUse)
        var needed = users
        needed.formUnion(directory.awaited.accountsOfNodes)
        needed.formUnion(directory.shrunk.lazy.map(\.account))
        for node in Set(directory.nodes.indices).subtracting(idle) where directory.nodes[node].kind != .free {
            needed.insert(directory.nodes[node].account)
        }
        let unused = directory.accounts.indices.map { AccountIndex($0) }.filter { account in
            !directory.accounts[Int(account)].isFree && !needed.contains(account) && !hasData(account)
        }
        let freed = Set(unused.prefix(Self.freedTogether))
        for node in idle where freed.contains(directory.nodes[node].account) { directory.free(node) }
        for account in freed.sorted() { directory.free(account) }
        return freed.sorted()
    }

    // MARK: Awaited devices

    /// Awaits the devices of the stored lists; called once, before the first step.
    mutating func awaitDevices(of lists: [NodeDevices]) {
        guard !planted(.devicesLost) else { return }
        directory.expect(
            lists.compactMap { list in
                directory.accountMade(list.account).map {
                    (NodeKey(account: $0, name: list.node), list.devices)
                }
            })
    }

    /// Returns a slot for an awaited device, in whose lane requests wait; nil for other devices, and once the
    /// account has settled.
    mutating func place(
        _ id: DeviceID, of account: AccountIndex, at now: Moment, nodesInUse: NodesInUse
    ) -> DeviceSlot? {
        guard directory.awaited.account(of: id) == account, isSettling(account, at: now.monotonic) else {
            return nil
        }
        if !directory.hasNowhere(account) { makeRoomForNode(nodesInUse) }
        return directory.awaited(id, of: account, at: now)
    }

    mutating func remove(_ device: DeviceSlot, at now: Moment, into effects: inout Effects) {
        let record = directory.devices[device]
        directory.removeDevice(device)
        directory.shrunk.insert(directory.nodes[record.node].key)
        announceRemoval(of: record.id, from: record.account, at: now, into: &effects)
    }

    mutating func announceRemoval(
        of id: DeviceID, from account: AccountIndex, at now: Moment, into effects: inout Effects
    ) {
        notify(.deviceRemoved(id, account))
        publish(.removed(id), to: account, at: now, into: &effects)
    }
}
