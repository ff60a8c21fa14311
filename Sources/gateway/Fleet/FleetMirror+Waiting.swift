import ObserverCore
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
}
