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
        let stories = stories.sorted {
            ($0.key.id, $0.key.account) < ($1.key.id, $1.key.account)
        }
        for (key, story) in stories {
            if let outcome = story.endedAs {
                check(key, story, outcome)
            } else if !story.applied.isEmpty {
                violate("\(key) took effect and never ended")
            }
        }
        for key in expected {
            let final = self.stories[key]?.final
            guard case .applied? = final else {
                violate("\(key) was asked for in peace, and is \(final.map(\.name) ?? "nothing")")
                continue
            }
        }
        checkOrder(of: stories)
    }

    private mutating func check(_ key: Key, _ story: Story, _ outcome: Outcome) {
        let effects = story.applied
        switch outcome {
        case .applied(let state):
            if effects != [state] { violate("\(key) was applied as \(state), and the device did \(effects)") }
            if let base = story.base, state.version != base.next {
                violate("\(key) was applied as \(state), and held only for version \(base)")
            }
            if let expected = story.content?.expected,
                expected.incarnation != state.incarnation || expected.version.next != state.version
            {
                violate("\(key) was applied as \(state), and expected \(expected)")
            }
        case .unchanged where story.content?.kind == .toggle:
            violate("\(key) is a toggle that changed nothing")
        case .undetermined, .unknown: break
        case .unchanged, .conflict, .rejected, .cancelled, .expired:
            if !effects.isEmpty { violate("\(key) is \(outcome.name) and took effect: \(effects)") }
        }
    }

    /// Who was answered before another asked was also carried out before: in the order in which they asked,
    /// nobody's version is lower than the newest of those who had been answered by then.
    private mutating func checkOrder(of stories: [(key: Key, value: Story)]) {
        let applied = stories.filter { !$0.value.applied.isEmpty }
        let lives = Dictionary(grouping: applied) { $0.value.applied[0].incarnation }
        for (_, life) in lives.sorted(by: { $0.key.bits < $1.key.bits }) {
            let answered = life.filter { $0.value.endedAt != nil }
                .sorted { $0.value.endedAt ?? 0 < $1.value.endedAt ?? 0 }
            var newest: (key: Key, value: Story)?
            var place = 0
            for (key, story) in life.sorted(by: { $0.value.askedAt ?? 0 < $1.value.askedAt ?? 0 }) {
                while place < answered.count, answered[place].value.endedAt ?? 0 < story.askedAt ?? 0 {
                    let early = answered[place]
                    if newest.map({ $0.value.applied[0].version < early.value.applied[0].version }) ?? true {
                        newest = early
                    }
                    place += 1
                }
                guard let newest, story.applied[0].version < newest.value.applied[0].version else { continue }
                violate("\(key) overtook \(newest.key)")
            }
        }
    }
}
