import FleetReplica
import ObserverCore
import Stepping

/// Shows events as JSON, one object a line.
struct JSONPresenter: Presenter {
    let filter: EventFilter

    mutating func take(
        _ event: ObserverEvent, of replica: Replica, at now: Moment, into output: inout [UInt8]
    ) {
        EventJSON.append(event, of: replica, filter: filter, to: &output)
    }
}
