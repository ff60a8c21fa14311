import FleetProtocol
import FleetReplica
import Stepping

/// Which row is selected, and which are on the screen.
extension ViewModel {
    /// Brings the order up to date, and keeps the selection on its device.
    mutating func followOrder(of replica: Replica, at now: MonotonicTime) {
        if order.refresh(replica, rule: rule, at: now) {
            let place = selected.flatMap { replica.devices.place(of: $0) }
            let moved = place.flatMap { order.places.firstIndex(of: $0) }
            selection = moved ?? selection
        }
        select(selection, of: replica)
    }

    /// Moves the selection to a row, or to the nearest that there is.
    mutating func select(_ row: Int, of replica: Replica) {
        selection = max(0, min(row, order.places.count - 1))
        selected = order.places.dropFirst(selection).first.map { replica.devices[$0].device }
        scroll()
    }

    /// Keeps the selected row on the screen, and the screen full.
    mutating func scroll() {
        top = min(top, selection)
        top = max(top, selection - pageRows + 1)
        top = max(0, min(top, order.places.count - pageRows))
    }
}
