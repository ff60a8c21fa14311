import FleetProtocol
import Synchronization

/// All requests and answers of the clients of a run.
final class History: Sendable {
    private let asked = Mutex<[Asked]>([])

    /// In the order of the answers.
    var all: [Asked] { asked.withLock { $0 } }

    /// The number of toggles that were acknowledged for the first time.
    var acknowledged: Int {
        asked.withLock { asked in
            asked.count {
                guard $0.kind == .toggle, case .outcome(.applied) = $0.answer else { return false }
                return true
            }
        }
    }

    func append(_ one: Asked) {
        asked.withLock { $0.append(one) }
    }

    /// The time from a moment to the first success of a toggle sent after it; nil if there is none.
    func firstSuccess(after moment: ContinuousClock.Instant) -> Duration? {
        asked.withLock { asked in
            // The answers are nearly in the order of time.
            var first: ContinuousClock.Instant?
            for one in asked.reversed() {
                guard one.answeredAt > moment else { break }
                guard one.kind == .toggle, one.askedAt > moment, case .outcome(.applied) = one.answer
                else { continue }
                first = min(first ?? one.answeredAt, one.answeredAt)
            }
            return first.map { $0 - moment }
        }
    }
}
