import ControllerCore
import FleetProtocol
import FleetReplica

/// An observer: a replica, its connection for pulls, and its subscription.
struct Observer {
    /// An observer that receives nothing for this time is stale.
    private static let staleness: Duration = .milliseconds(1_500)

    let account: AccountID
    let digest: TokenDigest
    /// Whether a node's memory has a copy, so that two processes may show one incarnation in turn.
    private let hasCopies: Bool
    private(set) var replica: Replica
    private(set) var connection: ConnectionID
    /// The controller process that the connection leads to; nil without one.
    private(set) var controller: Int?
    /// The controller process whose stream it receives; nil without one.
    var subscription: Int?
    /// The pulls that wait for a reply, by correlation.
    private var pulls: [UInt64: Replica.Pull] = [:]
    private var lastUpdateAt = MonotonicTime.zero
    /// The arrival of the last update in transit: a stream is never reordered.
    private var lastArrival = MonotonicTime.zero
    /// It reads too slowly until this time, and updates beyond the high-water mark are dropped.
    private(set) var slowUntil = MonotonicTime.zero
    /// An empty list with capacity for the effects of a step.
    private var spare: [Replica.Effect] = []
    /// The devices in the input of a step, with their states before it.
    private var touched: [(device: DeviceID, before: DeviceState)] = []

    init(
        account: AccountID, digest: TokenDigest, replica: consuming Replica, connection: ConnectionID,
        hasCopies: Bool
    ) {
        (self.account, self.digest, self.connection) = (account, digest, connection)
        self.hasCopies = hasCopies
        self.replica = replica
    }

    mutating func connect(_ connection: ConnectionID, to controller: Int) {
        (self.connection, self.controller) = (connection, controller)
        pulls = [:]
    }

    mutating func disconnect() {
        controller = nil
        pulls = [:]
    }

    mutating func slowDown(until end: MonotonicTime) { slowUntil = end }

    /// Steps the replica. Invariant: within an incarnation, the version of a device never decreases, unless a
    /// memory has a copy.
    mutating func step(
        _ input: Replica.Input, at now: Moment, _ findings: inout Findings
    ) -> [Replica.Effect] {
        var effects: [Replica.Effect] = []
        swap(&effects, &spare)
        noteDevices(in: input)
        if case .update = input { lastUpdateAt = now.monotonic }
        replica.step(input, at: now, into: &effects)
        for (device, before) in touched {
            guard let after = replica.stateInPlace(of: device) else { continue }
            if !hasCopies, after.incarnation == before.incarnation, after.version < before.version {
                findings.violate("an observer's \(device) went from \(before.version) to \(after.version)")
            }
        }
        return effects
    }

    /// Takes back a list of effects, so that the next step uses its capacity.
    mutating func recycle(_ effects: consuming [Replica.Effect]) {
        if !effects.isEmpty { effects.removeAll(keepingCapacity: true) }
        swap(&effects, &spare)
    }

    // Speed: see performance.md, "copies".
    /// Invariant: an observer that receives nothing becomes stale.
    ///
    /// Returns the time without an update, if the observer is not stale after it.
    mutating func silenceWithoutStaleness(at now: MonotonicTime) -> Duration? {
        let silence = lastUpdateAt.duration(to: now)
        return silence > Self.staleness && replica.staleness == nil ? silence : nil
    }

    private mutating func noteDevices(in input: Replica.Input) {
        touched.removeAll(keepingCapacity: true)
        switch input {
        case .update(let update):
            switch update.body {
            case .reported(let device, _, _): note(device)
            case .reports(let devices): for device in devices { note(device.device) }
            case .added(let row): note(row.device)
            case .beat, .connection, .node, .outcome, .removed, .measured, .group, .settings, .service: break
            }
        case .chunk(let chunk, _): for row in chunk.rows { note(row.device) }
        case .pullFailed, .connection, .tick: break
        }
    }

    private mutating func note(_ device: DeviceID) {
        if let before = replica.stateInPlace(of: device) { touched.append((device, before)) }
    }

    mutating func request(_ pull: Replica.Pull, correlation: UInt64) -> ClientRequest {
        pulls[correlation] = pull
        return ClientRequest(
            correlation: correlation, token: nil, body: .snapshot(cursor: pull.cursor, end: pull.end))
    }

    /// Removes and returns the pull that a reply answers; nil for a pull of an earlier connection.
    mutating func pull(of correlation: UInt64) -> Replica.Pull? { pulls.removeValue(forKey: correlation) }

    /// Returns the arrival of an update that arrives at a time, or right after the update before it.
    mutating func arrival(of time: MonotonicTime) -> MonotonicTime {
        lastArrival = max(lastArrival, time)
        return lastArrival
    }
}

// Speed: see performance.md, "copies".
extension Replica {
    fileprivate mutating func stateInPlace(of device: DeviceID) -> DeviceState? { row(of: device)?.reported }
}
