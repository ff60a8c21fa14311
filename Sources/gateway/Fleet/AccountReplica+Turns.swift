import Bus
import FleetClient
import FleetProtocol
import FleetReplica
import GatewayCore

extension AccountReplica {
    /// The time between two heartbeats to listeners.
    private static let heartbeatInterval: Duration = .seconds(10)
    /// The delay of the first change after a pause, so that related changes share its batch.
    private static let gatheringTime: Duration = .milliseconds(20)
    /// The longest delay of a request by an update of the sites.
    private static let siteTimeout: Duration = .milliseconds(250)

    func runTurns() async {
        setAlarm(at: clock().monotonic)
        for await _ in alarm.rings {
            alarm.rang()
            let now = clock().monotonic
            if hasListeners { serveListeners(at: now) }
            // This sets the alarm again.
            receive(.tick)
        }
    }

    private var hasListeners: Bool { listeners.count > 0 }

    private func serveListeners(at now: MonotonicTime) {
        if feed.hasChanges(of: replica), nextFeedAt <= now { sendChanges(at: now) }
        if nextHeartbeatAt <= now {
            nextHeartbeatAt = now.advanced(by: Self.heartbeatInterval)
            listeners.send(ServerSentEvent.heartbeat)
        }
        if siteReading.isDue(at: now) { requestSites(at: now) }
    }

    func sendChanges(at now: MonotonicTime) {
        nextFeedAt = now.advanced(by: LiveFeed.interval)
        let bytes = feed.turn(replica, at: PageSites(sites, of: account))
        if !bytes.isEmpty { listeners.send(bytes) }
    }

    /// Sets the alarm for the next deadline; without listeners, changes and sites have none.
    func setAlarm(at now: MonotonicTime) {
        var due = replica.nextDue ?? .never
        for one in awaited { due = min(due, one.deadline) }
        if hasListeners {
            due = min(due, nextHeartbeatAt, siteReading.nextDue ?? .never)
            if feed.hasChanges(of: replica) {
                due = min(due, max(nextFeedAt, now.advanced(by: Self.gatheringTime)))
            }
        }
        if due != .never { alarm.set(for: due, at: now) }
    }

    // MARK: Sites

    /// Requests a reading of the sites, unless one is under way.
    func requestSites(at now: MonotonicTime) {
        if siteReading.begin(at: now) { siteFeed.yield() }
    }

    func followSites() async {
        for await _ in siteLooks { await readSites(within: Limits.defaultTimeout) }
    }

    /// Reads the sites if the last reading was more than a second ago, within ``siteTimeout``.
    func catchUpWithSites() async {
        let now = clock().monotonic
        guard replica.connection == .established, siteReading.isDue(at: now), siteReading.begin(at: now)
        else { return }
        await readSites(within: Self.siteTimeout)
    }

    /// Executes a reading that was begun.
    private func readSites(within timeout: Duration) async {
        let reader = SiteReader(services: client.services(as: credentials, timeout: timeout))
        // A failed reading is repeated the next time.
        if let newer = try? await reader.register(newerThan: sites.revision) {
            sites = newer
            // Any row may show another site.
            feed.recordSnapshot()
        }
        siteReading.end()
        setAlarm(at: clock().monotonic)
    }
}

/// A timer that wakes a replica at its next deadline, on the thread of its client.
struct ReplicaTimer: Sendable {
    /// One element for each ring; rings without a waiter are merged into one.
    let rings: AsyncStream<Void>

    private let feed: AsyncStream<Void>.Continuation
    private let loop: Loop
    private var due: MonotonicTime?

    init(on loop: Loop) {
        self.loop = loop
        (rings, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Sets the alarm for a time, unless it rings earlier.
    mutating func set(for moment: MonotonicTime, at now: MonotonicTime) {
        if let due, due <= moment { return }
        due = moment
        let delay = now.duration(to: moment)
        guard delay > .zero else {
            feed.yield()
            return
        }
        loop.perform { [loop, feed] in loop.schedule(after: delay) { feed.yield() } }
    }

    /// Records that the alarm has rung. Timers that were set for later still run, and cause a superfluous
    /// ring each.
    mutating func rang() { due = nil }
}

/// The outcomes from before the replica began, as far as the controller has them.
extension AccountReplica {
    /// Requests a reading of the past outcomes, once the replica is complete and until they are read.
    func requestPast() {
        if !isPastKnown, replica.isWhole { pastFeed.yield() }
    }

    /// Executes requested readings; a failed one is repeated with the next request.
    func followPast() async {
        for await _ in pastLooks where !isPastKnown {
            let name = credentials
            do throws(FleetError) {
                try await readPast(as: name)
                isPastKnown = true
            } catch {
                if case .refused(.unauthenticated) = error { refuse(name) }
            }
            hasLookedBack = true
        }
    }

    /// Reads the outcomes of ``Limits/longestHistory``, chunk by chunk, without those of removed devices.
    private func readPast(as credentials: Credentials) async throws(FleetError) {
        try await client.readHistory(back: Limits.longestHistory, as: credentials) { chunk in
            for past in chunk.outcomes {
                guard let device = past.report.device, replica.row(of: device) != nil else { continue }
                history.restore(past)
            }
            recordChange()
        }
    }
}

extension AccountReplica {
    /// Waits until the replica has the whole fleet; returns whether it was complete within that time.
    func isWhole(within timeout: Duration) async -> Bool {
        let deadline = clock().monotonic.advanced(by: timeout)
        while !read({ $0.isWhole }) {
            guard clock().monotonic < deadline, !Task.isCancelled else { return false }
            try? await World.sleep(.milliseconds(5))
        }
        return true
    }

    /// Waits until the replica has the whole fleet; throws ``APIError/unavailable`` after the timeout.
    func complete(within timeout: Duration) async throws(APIError) {
        guard await isWhole(within: timeout) else { throw .unavailable }
    }

    /// Returns a pod of the whole fleet. Throws ``APIError/noSuchPod``, or ``APIError/unavailable`` after the
    /// timeout.
    func pod(_ id: String, within timeout: Duration) async throws(APIError) -> Pod {
        try await complete(within: timeout)
        guard let pod = Pod.find(id, in: replica, history) else { throw .noSuchPod }
        return pod
    }

    /// Waits until the first attempt to read the past outcomes ends, or until the timeout.
    func waitForPast(within timeout: Duration) async {
        let deadline = clock().monotonic.advanced(by: timeout)
        while !hasLookedBack, clock().monotonic < deadline, !Task.isCancelled {
            try? await World.sleep(.milliseconds(5))
        }
    }
}

/// A wait until a replica shows something.
struct AwaitedContent {
    let deadline: MonotonicTime
    /// Whether the replica shows it, or never will.
    let isOver: @Sendable (Replica) -> Bool
    let handle: @Sendable () -> Void
}

extension Replica {
    /// Whether it has a state and a change of settings, or never will, because the device was removed or has
    /// another incarnation.
    func hasPassed(
        _ state: DeviceState, of device: DeviceID, with setting: SettingChange?
    ) -> Bool {
        guard let reported = row(of: device)?.reported, reported.incarnation == state.incarnation else {
            return true
        }
        guard reported.version >= state.version else { return false }
        return setting?.isShown(by: settings(of: device) ?? DeviceSettings()) ?? true
    }
}

extension AccountReplica {
    /// Waits until the replica has a state of a device and a change of its settings, or later ones.
    func waitForState(
        _ state: DeviceState, of device: DeviceID, with setting: SettingChange?, within timeout: Duration
    ) async {
        await wait(within: timeout) { $0.hasPassed(state, of: device, with: setting) }
    }

    /// Waits until the replica is complete up to a position of the stream; returns whether it is.
    func waitForPosition(_ position: StreamPosition, within timeout: Duration) async -> Bool {
        let isReached: @Sendable (Replica) -> Bool = { $0.isWhole && $0.position >= position }
        await wait(within: timeout, until: isReached)
        return read(isReached)
    }
}
