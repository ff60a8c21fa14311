import FleetProtocol

/// The lease of a node, which its messages renew, and the presence that follows from it.
struct NodeLease: Sendable {
    private(set) var presence: Presence
    /// When the last message arrived, plus the controller's own absences since.
    private(set) var renewedAt: MonotonicTime
    /// Whether a timer is set: a node has at most one.
    private(set) var hasTimer = false

    init(_ presence: Presence, renewedAt: MonotonicTime) {
        (self.presence, self.renewedAt) = (presence, renewedAt)
    }

    /// Whether commands can reach the node: its presence is online or stale.
    var isReachable: Bool {
        switch presence.kind {
        case .online, .stale: true
        case .offline, .unknown: false
        }
    }

    mutating func renew(at now: MonotonicTime) { renewedAt = now }

    /// Extends the lease by an absence of the controller.
    mutating func extend(by absence: Duration, at now: MonotonicTime) {
        renewedAt = min(renewedAt.advanced(by: absence), now)
    }

    /// Sets the presence; returns false if it is of that kind already.
    mutating func set(_ kind: Presence.Kind, at now: WallTime) -> Bool {
        guard presence.kind != kind else { return false }
        presence = Presence(kind, since: now)
        return true
    }

    /// Returns when to check the lease of a node that has become reachable; nil if a timer is set.
    mutating func setTimer(at now: MonotonicTime) -> MonotonicTime? {
        guard !hasTimer else { return nil }
        hasTimer = true
        return now.advanced(by: Limits.staleAfter)
    }

    /// Returns the presence that follows from the silence, if it may have changed, and when to check again.
    mutating func check(at now: MonotonicTime) -> (kind: Presence.Kind?, next: MonotonicTime?) {
        hasTimer = false
        guard isReachable else { return (nil, nil) }
        let silence = renewedAt.duration(to: now)
        guard silence < Limits.lease else { return (.offline(.nodeLost), nil) }
        hasTimer = true
        let isStale = silence >= Limits.staleAfter
        return (isStale ? .stale : nil, renewedAt.advanced(by: isStale ? Limits.lease : Limits.staleAfter))
    }
}
