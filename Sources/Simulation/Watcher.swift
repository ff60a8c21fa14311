import ControllerCore
import FleetProtocol
import FleetReplica
import FleetTime

/// An observer: a replica, its connection for questions, and its subscription.
struct Watcher {
    let account: AccountID
    let digest: TokenDigest
    var replica: Replica
    var connection: ConnectionID
    /// The life that its connection leads to; nil while it has none.
    var life: Int?
    /// The life whose stream reaches it; nil while none does.
    var subscription: Int?
    /// Which question each correlation asks.
    var pulls: [UInt64: Replica.Pull] = [:]
    /// Of both, its connection and its subscription.
    var cable = Cable()
    /// When the last update arrived.
    var heardAt = MonotonicTime.zero
    /// When the last update on its way arrives: a stream is never reordered.
    var lastArrival = MonotonicTime.zero
    /// Updates beyond the high-water mark are dropped until then: it reads too slowly.
    var slowUntil = MonotonicTime.zero
}
