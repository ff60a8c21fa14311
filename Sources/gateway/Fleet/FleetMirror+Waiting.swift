import FleetReplica
import Stepping

extension FleetMirror {
    /// Waits until the whole fleet is known.
    ///
    /// - Returns: Whether it was within that time.
    func isWhole(within patience: Duration) async -> Bool {
        let deadline = clock().monotonic.advanced(by: patience)
        while !read({ $0.isWhole }) {
            guard clock().monotonic < deadline, !Task.isCancelled else { return false }
            try? await World.sleep(.milliseconds(5))
        }
        return true
    }

    /// Waits until the first attempt to read the past is over; not longer than that.
    func waitForPast(within patience: Duration) async {
        let deadline = clock().monotonic.advanced(by: patience)
        while !hasLookedBack, clock().monotonic < deadline, !Task.isCancelled {
            try? await World.sleep(.milliseconds(5))
        }
    }
}
