import FleetReplica
import ObserverCore
import Stepping

/// Shows nothing.
struct SilentPresenter: Presenter {
    mutating func take(
        _ event: ObserverEvent, of replica: Replica, at now: Moment, into output: inout [UInt8]
    ) {}
}
