import FleetProtocol
import FleetTime
import PlantedBugs

/// From the head of a lane to the device, and again while it is silent.
///
/// A function that only looks gets a copy of the whole controller, 1.6 KiB, where one that changes the
/// controller calls it without inlining it. So those that each toggle needs are always inlined.
extension RequestEngine {
    /// Resolves the next of a lane, as long as the device is free.
    mutating func advanceLane(of device: DeviceSlot, at now: Moment, into effects: inout Effects) {
        while let next = lanes[device]?.first, isFree(device) {
            guard !awaitsState(next, of: device, at: now.monotonic) else { return }
            takeFirst(ofLane: device)
            resolve(next, of: device, at: now, into: &effects)
        }
    }

    /// Whether nothing is in flight and the device can be reached.
    func isFree(_ device: DeviceSlot) -> Bool {
        directory.devices[device].current == nil && isReachable(device)
    }

    /// Whether a command would reach the device, as far as anybody knows.
    ///
    /// Of a node that has begun another life each device's row is awaited first: the row in hand may be of a
    /// life that is over, and a command that names that only ends as undetermined.
    @inline(__always)
    func isReachable(_ device: DeviceSlot) -> Bool {
        let record = directory.devices[device]
        let node = directory.nodes[record.node]
        return !record.isRemoved && record.isConnected && node.isReachable && record.boot == node.link.boot
    }

    /// Whether a request's client knows a newer state than we do and its device is being asked for it.
    mutating func awaitsState(_ slot: RequestSlot, of device: DeviceSlot, at now: MonotonicTime) -> Bool {
        guard knowsNewerState(slot, of: device, at: now) else { return false }
        let node = directory.devices[device].node
        guard requests.update(slot, { $0.state.askForState() }) else {
            return directory.nodes[node].changes.isBeingRepaired
        }
        repairSoon(node, at: now)
        return true
    }

    /// Whether a request's client knows a newer state than the controller.
    func knowsNewerState(_ slot: RequestSlot, of device: DeviceSlot, at now: MonotonicTime) -> Bool {
        guard let expected = requests[slot].content.expected, now < requests[slot].deadline else {
            return false
        }
        let reported = directory.devices[device].reported
        return expected.incarnation == reported.incarnation && expected.version > reported.version
    }

    /// Makes a request absolute and sends it, or ends it: as a conflict, or because its time is over.
    ///
    /// It is in no lane any more, or never was.
    mutating func resolve(
        _ slot: RequestSlot, of device: DeviceSlot, at now: Moment, into effects: inout Effects
    ) {
        guard now.monotonic < requests[slot].startDue else {
            return settle(slot, .expired, at: now, into: &effects)
        }
        let reported = directory.devices[device].reported
        let version = configuration.planted(.conflictWithNext) ? reported.version.next : reported.version
        let present = Expectation(incarnation: reported.incarnation, version: version)
        if let expected = requests[slot].content.expected, expected != present {
            return settle(slot, .conflict(reported), at: now, into: &effects)
        }
        directory.devices[device].current = slot
        dispatch(slot, at: now, into: &effects)
    }

    private mutating func takeFirst(ofLane device: DeviceSlot) {
        lanes[device]?.removeFirst()
        if lanes[device]?.isEmpty == true { lanes[device] = nil }
    }

    /// Journals the next sequence of a request's device for it, and sends the command.
    mutating func dispatch(_ slot: RequestSlot, at now: Moment, into effects: inout Effects) {
        let device = requests[slot].device
        let reported = directory.devices[device].reported
        let (change, base) = absolute(requests[slot].content, of: reported)
        let identity = CommandIdentity(
            device: directory.devices[device].id, incarnation: reported.incarnation,
            sequence: directory.devices[device].lastSequence.next, requestID: requests[slot].key.id)
        let resendAt = now.monotonic.advanced(by: Backoff.silence)
        directory.devices[device].lastSequence = identity.sequence
        leaveNode(slot)
        let (node, place) = joinNode(slot)
        let former = requests[slot].state.dispatch
        let dispatch = Dispatch(
            identity: identity, change: change, base: base, versionBefore: reported.version, node: node,
            placeAtNode: place, resolution: (former?.resolution ?? 0) + 1,
            leftQueueAt: former?.leftQueueAt ?? now.monotonic, lastLeftAt: now.monotonic,
            nextResendAt: resendAt, journalTook: former?.journalTook ?? .zero)
        let account = directory.accounts[Int(requests[slot].key.account)].id
        effects.store(
            .request(
                requests.update(slot) {
                    $0.state.begin(dispatch)
                    return $0.entry(of: account)
                }))
        arm(slot, at: min(requests[slot].deadline, resendAt))
        justDispatched.append(slot)
        sendCommand(slot, at: now, into: &effects)
    }

    /// Commands leave once their dispatch is kept: the wait for that is the journal's, and not the wire's.
    mutating func noteKept(_ took: Duration, at now: MonotonicTime) {
        for slot in justDispatched where requests.isLive(slot) {
            requests.update(slot) {
                $0.state.updateDispatch { dispatch in
                    dispatch.journalTook = took
                    dispatch.lastLeftAt = now
                }
            }
        }
        justDispatched.removeAll(keepingCapacity: true)
    }

    /// A toggle becomes the opposite of what is reported, and holds only for that; a `set` is absolute
    /// already.
    private func absolute(
        _ content: RequestContent, of reported: DeviceState
    ) -> (ACStateChange, base: Version?) {
        switch content.kind {
        case .toggle: (ACStateChange(isOn: !reported.state.isOn), reported.version)
        case .set(let change), .correct(let change): (change, content.expected?.version)
        case .configure: (ACStateChange(), content.expected?.version)
        }
    }

    /// Sends what is in flight once more: the command while it may run, otherwise an abort.
    mutating func sendCommand(_ slot: RequestSlot, at now: Moment, into effects: inout Effects) {
        let isNeverLate = configuration.planted(.commandAfterDeadline)
        let message = requests.update(slot) {
            $0.leave(at: now.monotonic, isNeverLate: isNeverLate)
        }
        guard let node = requests[slot].state.dispatch?.node else { return }
        if case .abort = message {} else { meter.noteCommand() }
        send(message, to: node, into: &effects)
    }

    /// Sets a request's timer, unless it fires earlier anyway.
    mutating func arm(_ slot: RequestSlot, at due: MonotonicTime) {
        guard due < requests[slot].timerDue else { return }
        requests.update(slot) { $0.timerDue = due }
        timers.set(.request(slot), at: due)
    }

    /// A request's timer: its deadline has come, or its device has been silent for too long.
    mutating func requestDue(_ slot: RequestSlot, at now: Moment, into effects: inout Effects) {
        guard now.monotonic >= requests[slot].timerDue else { return }
        requests.update(slot) { $0.timerDue = .never }
        let request = requests[slot]
        var next = request.state.isDispatched ? request.deadline : request.startDue
        if now.monotonic >= next { return deadlineDue(slot, at: now, into: &effects) }
        if let dispatch = request.state.dispatch {
            if now.monotonic >= dispatch.nextResendAt { resend(slot, at: now, into: &effects) }
            next = min(next, requests[slot].state.dispatch?.nextResendAt ?? next)
        }
        arm(slot, at: next)
    }

    private mutating func deadlineDue(_ slot: RequestSlot, at now: Moment, into effects: inout Effects) {
        let request = requests[slot]
        guard request.state.isDispatched else {
            settle(slot, .expired, at: now, into: &effects)
            return advanceLane(of: request.device, at: now, into: &effects)
        }
        let giveUpAt = request.deadline.advanced(by: configuration.retention.longest)
        guard now.monotonic < giveUpAt else {
            settle(slot, .undetermined(.deviceGone), at: now, into: &effects)
            return advanceLane(of: request.device, at: now, into: &effects)
        }
        arm(slot, at: giveUpAt)
        guard requests.update(slot, { $0.state.passDeadline() }) else { return }
        let report = request.report(.unknown, at: now.monotonic)
        let waiters = requests.update(slot) { request in
            var waiters: [Waiter] = []
            request.waiters.drain { waiters.append($0) }
            return waiters
        }
        for waiter in waiters { reply(.outcome(report), to: waiter, into: &effects) }
        if isReachable(request.device) { sendCommand(slot, at: now, into: &effects) }
    }

    /// A second of silence on a live connection: once more, for a token of the device's budget.
    ///
    /// A device that takes its time is silent for as long; that the first command was lost shows after a
    /// second all the same.
    private mutating func resend(_ slot: RequestSlot, at now: Moment, into effects: inout Effects) {
        let tries = (requests[slot].state.dispatch?.resends ?? 0) + 1
        let jitter = Backoff.jitter(afterTries: tries, using: &generator)
        let resendAt = now.monotonic.advanced(by: Backoff.silence + jitter + requests[slot].runningTime)
        requests.update(slot) { $0.state.resent(tries, nextAt: resendAt) }
        let device = requests[slot].device
        guard isReachable(device), budget.spend(on: device) else { return }
        if configuration.planted(.secondSequence) { return dispatch(slot, at: now, into: &effects) }
        sendCommand(slot, at: now, into: &effects)
    }

    /// A sign of life after a silence, or a new connection: everything in flight there is asked for, free.
    mutating func askAgain(_ slots: [RequestSlot], at now: Moment, into effects: inout Effects) {
        for slot in slots where requests.isLive(slot) {
            guard requests[slot].state.isDispatched, isReachable(requests[slot].device) else { continue }
            let resendAt = now.monotonic.advanced(by: Backoff.silence)
            requests.update(slot) { $0.state.resent(0, nextAt: resendAt) }
            arm(slot, at: resendAt)
            sendCommand(slot, at: now, into: &effects)
        }
    }

    /// Puts a request at the end of the list of its device's node; returns the node and the place.
    mutating func joinNode(_ slot: RequestSlot) -> (node: NodeSlot, place: Int) {
        let node = directory.devices[requests[slot].device].node
        directory.nodes[node].dispatched.append(slot)
        return (node, directory.nodes[node].dispatched.count - 1)
    }

    /// Takes a request out of the list of its node.
    mutating func leaveNode(_ slot: RequestSlot) {
        guard let dispatch = requests[slot].state.dispatch else { return }
        let place = dispatch.placeAtNode
        let last = directory.nodes[dispatch.node].dispatched.removeLast()
        guard last != slot else { return }
        directory.nodes[dispatch.node].dispatched[place] = last
        requests.update(last) { $0.state.updateDispatch { $0.placeAtNode = place } }
    }
}
