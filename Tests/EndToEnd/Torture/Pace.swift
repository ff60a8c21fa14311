import Dispatch
import FleetTime

/// The rhythm of a run: how long clients think, and how long what is broken stays so.
///
/// Nothing is waited for with it that could be seen to happen.
enum Pace {
    /// Lets some time pass.
    static func wait(_ duration: Duration) async {
        await withCheckedContinuation { continuation in
            let delay = DispatchTimeInterval.nanoseconds(Int(duration / .nanoseconds(1)))
            DispatchQueue.global().asyncAfter(deadline: .now() + delay) { continuation.resume() }
        }
    }

    /// Looks every few milliseconds whether something has happened.
    ///
    /// - Returns: How long it took; nil when the time was over before.
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
