import FleetProtocol
import Synchronization

/// All requests and answers of the clients of a run.
final class History: Sendable {
    private struct State {
        var asked: [Asked] = []
        var acknowledged = 0
    }

    private let state = Mutex(State())

    /// In the order of the answers.
    var all: [Asked] { state.withLock(\.asked) }

    /// The number of toggles that were acknowledged for the first time.
    var acknowledged: Int { state.withLock(\.acknowledged) }

    func append(_ one: Asked) {
        state.withLock { state in
            state.asked.append(one)
            if one.isAcknowledged { state.acknowledged += 1 }
        }
    }

    /// The time from a moment to the first success of a toggle sent after it; nil if there is none.
    func firstSuccess(after moment: ContinuousClock.Instant) -> Duration? {
        state.withLock { state in
            // The answers are nearly in the order of time.
            var first: ContinuousClock.Instant?
            for one in state.asked.reversed() {
                guard one.answeredAt > moment else { break }
                guard one.isAcknowledged, one.askedAt > moment else { continue }
                first = min(first ?? one.answeredAt, one.answeredAt)
            }
            return first.map { $0 - moment }
        }
    }
}
