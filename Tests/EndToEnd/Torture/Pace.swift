import Dispatch
import FleetProtocol

/// The rhythm of a run: the pauses of clients, and the durations of faults.
///
/// It is not used to wait for events that can be observed.
enum Pace {
    /// Pauses for some time.
    static func wait(_ duration: Duration) async {
        await withCheckedContinuation { continuation in
            let delay = DispatchTimeInterval.nanoseconds(Int(duration / .nanoseconds(1)))
            DispatchQueue.global().asyncAfter(deadline: .now() + delay) { continuation.resume() }
        }
    }

    /// Checks every few milliseconds whether a condition holds.
    ///
    /// - Returns: The time it took; nil if the time limit passed before.
    static func look(for limit: Duration, until holds: () async throws -> Bool) async rethrows -> Duration? {
        let clock = ContinuousClock()
        let start = clock.now
        while clock.now - start < limit {
            if try await holds() { return clock.now - start }
            await wait(.milliseconds(3))
        }
        return nil
    }
}
