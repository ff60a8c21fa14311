import FleetProtocol

// Speed: see performance.md, "copies".
/// The open and the ended requests: it queues requests in the lanes of devices, dispatches and retries their
/// commands, and retains their outcomes.
struct Requests: Sendable {
    typealias Effects = Controller.Effects

    let planted: Planting
    /// The maximum number of open requests of all accounts.
    let room: Int
    /// How long a request waits after its deadline for a device that does not answer.
    private let longestWait: Duration
    /// How far an ID may be ahead of the clock.
    let idAhead: Duration
    /// Whether the journal has every request that earlier runs may have sent.
    let restoresRequests: Bool
    var open = OpenRequests()
    var ended: EndedRequests
    /// Whether the disk is full: no request is admitted.
    private(set) var isStorageFull = false
    private var budget = RetryBudget()
    private var generator: SeededGenerator
    /// Requests whose dispatch was journalled and is not known to be stored.
    private var unstored: [RequestSlot] = []

    init(_ configuration: ControllerConfiguration) {
        planted = configuration.planted
        room = configuration.requestsInFlight
        longestWait = configuration.retention.longest
        restoresRequests = configuration.restoresRequests
        idAhead = configuration.retention.idAhead
        ended = EndedRequests(retention: configuration.retention, planted: configuration.planted)
        generator = SeededGenerator(seed: configuration.seed)
    }

    // MARK: Storage

    /// Sets whether the disk is full; once it has room, commands in flight are sent again.
    mutating func setStorageFull(
        _ isFull: Bool, at now: Moment, in fleet: inout Fleet, into effects: inout Effects
    ) {
        isStorageFull = isFull
        // Commands were dropped while the disk was full.
        if !isFull { askAgain(open.dispatches.slots, at: now, in: &fleet, into: &effects) }
    }

    /// Records that dispatches are stored: only then their commands leave.
    mutating func stored(took: Duration, at now: MonotonicTime) {
        for slot in unstored where open.isLive(slot) {
            open.updateDispatch(of: slot) {
                $0.journalTook = took
                $0.lastSentAt = now
            }
        }
        unstored.removeAll(keepingCapacity: true)
    }

    // MARK: Dispatch

    /// Journals the next command number of a request's device for it, and sends the command.
    mutating func dispatch(
        _ slot: RequestSlot, at now: Moment, in fleet: inout Fleet, into effects: inout Effects
    ) {
        let device = open[slot].device
        let (reported, node) = (
            fleet.directory.devices[device].reported, fleet.directory.devices[device].node
        )
        let (change, base) = absolute(open[slot].content, of: reported)
        let commandNumber = fleet.directory.devices[device].lastCommandNumber.next
        let identity = CommandIdentity(
            device: fleet.directory.devices[device].id, incarnation: reported.incarnation,
            commandNumber: commandNumber, requestID: open[slot].key.id)
        let resendAt = now.monotonic.advanced(by: Backoff.silence)
        fleet.directory.devices[device].lastCommandNumber = commandNumber
        let former = open[slot].state.place.map {
            (
                open.dispatches[$0].resolution, open.dispatches[$0].dispatchedAt,
                open.dispatches[$0].journalTook
            )
        }
        let dispatch = Dispatch(
            slot: slot, identity: identity, change: change, base: base, versionBefore: reported.version,
            resolution: (former?.0 ?? 0) + 1, dispatchedAt: former?.1 ?? now.monotonic,
            lastSentAt: now.monotonic, nextResendAt: resendAt, journalTook: former?.2 ?? .zero)
        let account = fleet.directory.accounts[Int(open[slot].key.account)].id
        effects.store(.request(.dispatched(open[slot].record(of: account), dispatch.record)))
        open.dispatch(dispatch, to: node)
        arm(slot, at: min(open[slot].deadline, resendAt), in: &fleet)
        unstored.append(slot)
        sendCommand(slot, at: now, in: &fleet, into: &effects)
    }

    /// Resolves a toggle to the opposite of the reported state, valid for that version only; a `set` is
    /// already absolute.
    @inline(__always)
    private func absolute(
        _ content: RequestContent, of reported: DeviceState
    ) -> (ACStateChange, base: Version?) {
        switch content.kind {
        case .toggle: (ACStateChange(isOn: !reported.state.isOn), reported.version)
        case .set(let change), .correct(let change): (change, content.expected?.version)
        case .configure: (ACStateChange(), content.expected?.version)
        }
    }

    /// Sends a dispatched request: the command while it may run, otherwise an abort.
    @inline(__always)
    private mutating func sendCommand(
        _ slot: RequestSlot, at now: Moment, in fleet: inout Fleet, into effects: inout Effects
    ) {
        let isNeverLate = planted(.commandAfterDeadline)
        let next = open.nextMessage(of: slot, at: now.monotonic, isNeverLate: isNeverLate)
        guard let (node, message) = next else { return }
        if case .abort = message {} else { fleet.meter.countCommand() }
        fleet.send(message, to: node, into: &effects)
    }

    // MARK: Timers

    /// Sets a request's timer, unless it fires earlier anyway.
    @inline(__always)
    mutating func arm(_ slot: RequestSlot, at due: MonotonicTime, in fleet: inout Fleet) {
        guard due < open[slot].timerDue else { return }
        open.update(slot) { $0.timerDue = due }
        fleet.timers.set(.request(slot), at: due)
    }

    /// Handles a request's timer: its deadline has come, or its device has been silent for too long.
    mutating func timerDue(
        _ slot: RequestSlot, at now: Moment, in fleet: inout Fleet, into effects: inout Effects
    ) {
        guard open.isLive(slot), now.monotonic >= open[slot].timerDue else { return }
        open.update(slot) { $0.timerDue = .never }
        let request = open[slot]
        var next = request.state.isDispatched ? request.deadline : request.startDue
        if now.monotonic >= next { return deadlineDue(slot, at: now, in: &fleet, into: &effects) }
        if let dispatch = open.dispatch(of: slot) {
            if now.monotonic >= dispatch.nextResendAt { resend(slot, at: now, in: &fleet, into: &effects) }
            next = min(next, open.dispatch(of: slot)?.nextResendAt ?? next)
        }
        arm(slot, at: next, in: &fleet)
    }

    private mutating func deadlineDue(
        _ slot: RequestSlot, at now: Moment, in fleet: inout Fleet, into effects: inout Effects
    ) {
        let request = open[slot]
        guard request.state.isDispatched else {
            return end(slot, .expired, at: now, in: &fleet, into: &effects)
        }
        let giveUpAt = request.deadline.advanced(by: longestWait)
        guard now.monotonic < giveUpAt else {
            return end(slot, .undetermined(.deviceGone), at: now, in: &fleet, into: &effects)
        }
        arm(slot, at: giveUpAt, in: &fleet)
        guard open.update(slot, { $0.state.passDeadline() }) else { return }
        let report = open.report(.unknown, of: slot, at: now.monotonic)
        open.update(slot) { $0.waiters.drain { effects.reply(.outcome(report), to: $0) } }
        if fleet.isReachable(request.device) { sendCommand(slot, at: now, in: &fleet, into: &effects) }
    }

    /// Sends a command again after a second of silence on a live connection, at the cost of a token of the
    /// device's retry budget. A device that is busy for a while is silent for as long, so later resends wait
    /// for that time too.
    private mutating func resend(
        _ slot: RequestSlot, at now: Moment, in fleet: inout Fleet, into effects: inout Effects
    ) {
        let tries = (open.dispatch(of: slot)?.resends ?? 0) + 1
        let jitter = Backoff.jitter(afterTries: tries, using: &generator)
        let resendAt = now.monotonic.advanced(by: Backoff.silence + jitter + open[slot].runningTime)
        open.updateDispatch(of: slot) {
            $0.resends = tries
            $0.nextResendAt = resendAt
        }
        let device = open[slot].device
        guard fleet.isReachable(device), budget.spend(on: device) else { return }
        if planted(.secondCommandNumber) { return dispatch(slot, at: now, in: &fleet, into: &effects) }
        sendCommand(slot, at: now, in: &fleet, into: &effects)
    }

    /// Earns a part of a resend, for a result of the device.
    @inline(__always)
    mutating func earnRetry(of device: DeviceSlot) { budget.earn(for: device) }

    /// Sends dispatched requests again without cost, after a silence or on a new connection.
    mutating func askAgain(
        _ slots: [RequestSlot], at now: Moment, in fleet: inout Fleet, into effects: inout Effects
    ) {
        for slot in slots where open.isLive(slot) {
            guard open[slot].state.isDispatched, fleet.isReachable(open[slot].device) else { continue }
            let resendAt = now.monotonic.advanced(by: Backoff.silence)
            open.updateDispatch(of: slot) {
                $0.resends = 0
                $0.nextResendAt = resendAt
            }
            arm(slot, at: resendAt, in: &fleet)
            sendCommand(slot, at: now, in: &fleet, into: &effects)
        }
    }

    /// Asks the devices of a node for the outcomes of overdue and cancelled requests, at each heartbeat.
    mutating func askForOutcomes(
        at node: NodeSlot, at now: Moment, in fleet: inout Fleet, into effects: inout Effects
    ) {
        for slot in open.dispatches.slots(at: node) {
            let state = open[slot].state
            guard state.isOverdue || state.isCancelling, fleet.isReachable(open[slot].device) else {
                continue
            }
            sendCommand(slot, at: now, in: &fleet, into: &effects)
        }
    }
}

struct RetryBudget: Sendable {
    /// Amounts are tenths of a token: a full budget has ten tokens, a resend costs one, a result earns a
    /// tenth.
    private static let full = 100
    private static let cost = 10

    /// The remaining budgets; a device with a full budget has no entry.
    private var tenths: [DeviceSlot: Int] = [:]

    /// Takes the cost of one resend; returns false if the device has no token left.
    mutating func spend(on device: DeviceSlot) -> Bool {
        let left = tenths[device] ?? Self.full
        guard left >= Self.cost else { return false }
        tenths[device] = left - Self.cost
        return true
    }

    /// Earns a tenth of a token, for a result of the device.
    mutating func earn(for device: DeviceSlot) {
        guard let left = tenths[device] else { return }
        tenths[device] = left + 1 == Self.full ? nil : left + 1
    }
}

enum Backoff {
    /// The silence on a live connection after which a command is sent again.
    static let silence: Duration = .seconds(1)
    private static let base: Duration = .milliseconds(50)
    private static let cap: Duration = .milliseconds(500)

    /// Full jitter: a random delay between 0 and 50 ms · 2ⁿ, at most 500 ms.
    static func jitter(afterTries tries: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let bound = min(cap, base * (1 << min(tries, 8)))
        return .nanoseconds(Int64.random(in: 0...bound.wholeNanoseconds, using: &generator))
    }
}
