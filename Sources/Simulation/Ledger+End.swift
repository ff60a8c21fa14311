import ControllerCore
import FleetProtocol

/// What can be said only when all is over.
extension Ledger {
    /// Compares everything with everything.
    mutating func close() {
        for (correlation, count) in unanswered.values.flatMap({ $0 }).sorted(by: { $0.key < $1.key })
        where count > 0 {
            violate("message \(correlation) has no reply")
        }
        for key in applied.keys.sorted(by: { $0.id < $1.id }) where endedAs[key] == nil {
            violate("\(key) took effect and never ended")
        }
        for (key, outcome) in endedAs.sorted(by: { $0.key.id < $1.key.id }) {
            check(key, outcome)
        }
        for key in expected {
            guard case .applied? = finals[key] else {
                violate("\(key) was asked for in peace, and is \(finals[key].map(\.name) ?? "nothing")")
                continue
            }
        }
        checkOrder()
    }

    mutating func check(_ key: Key, _ outcome: Outcome) {
        let effects = applied[key, default: []]
        switch outcome {
        case .applied(let state):
            if effects != [state] { violate("\(key) was applied as \(state), and the device did \(effects)") }
            if let base = bases[key], state.version != base.next {
                violate("\(key) was applied as \(state), and held only for version \(base)")
            }
            if let expected = contents[key]?.expected,
                expected.incarnation != state.incarnation || expected.version.next != state.version
            {
                violate("\(key) was applied as \(state), and expected \(expected)")
            }
        case .unchanged where contents[key]?.kind == .toggle:
            violate("\(key) is a toggle that changed nothing")
        case .undetermined, .unknown: break
        case .unchanged, .conflict, .rejected, .cancelled, .expired:
            if !effects.isEmpty { violate("\(key) is \(outcome.name) and took effect: \(effects)") }
        }
    }

    /// Who was answered before another asked was also carried out before.
    mutating func checkOrder() {
        for (first, states) in applied {
            guard let answered = endedAt[first], let early = states.first else { continue }
            for (second, others) in applied where askedAt[second] ?? 0 > answered {
                guard let late = others.first, late.incarnation == early.incarnation else { continue }
                if late.version < early.version { violate("\(second) overtook \(first)") }
            }
        }
    }
}
