import FleetProtocol
import FleetReplica
import UserText

/// The data of the status line that does not come from the replica: the rate of updates, and what the caller
/// has reported.
struct StatusSources: Sendable {
    /// The condition at which the screen ends, fit for a terminal; nil for none.
    private(set) var awaited: String?
    /// The address of the fleet's page; nil if it is not known.
    var address: FleetAddress?
    /// The words that call `fleet`.
    var fleet = "fleet"
    /// The number of received changes that the replica has not applied.
    var unread = 0
    private var rate = UpdateRate()

    mutating func await(_ condition: String) { awaited = SafeText.of(condition) }

    mutating func sample(_ updateCount: UInt64, at now: MonotonicTime) { rate.sample(updateCount, at: now) }
    mutating func restartRate() { rate = UpdateRate() }

    /// The status of a replica; `pausedAt` is the number of updates when the screen was paused.
    func status(
        of replica: Replica, pausedAt: UInt64?, pending: Int, at now: MonotonicTime
    ) -> ScreenContent.Status {
        let staleFor = replica.rightUntil.map { $0.monotonic.duration(to: now) }
        return ScreenContent.Status(
            connection: replica.connection, devices: replica.deviceCount, online: replica.onlineCount,
            updatesPerSecond: rate.perSecond, behind: replica.behind + UInt64(max(0, unread)),
            staleness: replica.staleness, staleFor: replica.isWhole ? nil : staleFor,
            pausedBy: pausedAt.map { replica.updateCount - $0 }, pending: pending, awaited: awaited,
            page: address?.page, fleet: fleet)
    }
}

/// The rate of updates, measured over the last full second.
struct UpdateRate: Sendable {
    private var since: MonotonicTime?
    private var countThen: UInt64 = 0
    private(set) var perSecond: UInt64 = 0

    mutating func sample(_ count: UInt64, at now: MonotonicTime) {
        guard let since else {
            self.since = now
            countThen = count
            return
        }
        let elapsed = since.duration(to: now).wholeMilliseconds
        guard elapsed >= 1_000 else { return }
        perSecond = (count - countThen) * 1_000 / UInt64(elapsed)
        self.since = now
        countThen = count
    }
}
