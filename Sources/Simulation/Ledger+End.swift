import ControllerCore
import FleetProtocol

/// What can be said only when all is over.
extension Ledger {
    /// Compares everything with everything.
    mutating func close() {
        for correlation in questions.keys.sorted() where questions[correlation]?.balance ?? 0 > 0 {
            violate("message \(correlation) has no reply")
        }
        let keys = stories.keys
        let places = keys.indices.sorted { (keys[$0].id, keys[$0].account) < (keys[$1].id, keys[$1].account) }
        for place in places {
            if let outcome = stories[place].endedAs {
                check(keys[place], stories[place], outcome)
            } else if stories[place].content != nil {
                violate("\(keys[place]) was admitted and never ended")
            } else if !stories[place].applied.isEmpty {
                violate("\(keys[place]) took effect and was never admitted")
            }
        }
        for key in expected {
            let final = stories.place(of: key).flatMap { stories[$0].final }
            guard case .applied? = final else {
                violate("\(key) was asked for in peace, and is \(final.map(\.name) ?? "nothing")")
                continue
            }
        }
        closeSequences()
        let firm = places.filter { place in
            stories[place].content.map { !hasGoneBack($0.device, in: stories[place].applied) } ?? true
        }
        checkOrder(of: firm.compactMap { Turn(keys[$0], stories[$0]) })
    }

    private mutating func check(_ key: Key, _ story: Story, _ outcome: Outcome) {
        let effects = story.applied
        if let device = story.content?.device, hasGoneBack(device, in: effects) { return }
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
        // Every life of the controller goes on from one journal, so no command but theirs reaches a device.
        case .undetermined(.superseded): violate("\(key) is superseded, and all controllers have one journal")
        case .undetermined, .unknown: break
        case .unchanged, .conflict, .rejected, .cancelled, .expired:
            if !effects.isEmpty { violate("\(key) is \(outcome.name) and took effect: \(effects)") }
        }
    }

    /// When a request took effect, among others.
    private struct Turn {
        let key: Key
        let askedAt: Int
        let endedAt: Int?
        /// What the device was at then.
        let version: Version
        let incarnation: Incarnation

        /// Nil where it took none.
        init?(_ key: Key, _ story: Story) {
            guard let state = story.applied.first else { return nil }
            self.key = key
            (askedAt, endedAt) = (story.askedAt ?? 0, story.endedAt)
            (version, incarnation) = (state.version, state.incarnation)
        }
    }

    /// Who was answered before another asked was also carried out before: in the order in which they asked,
    /// nobody's version is lower than the newest of those who had been answered by then.
    private mutating func checkOrder(of applied: [Turn]) {
        let lives = Dictionary(grouping: applied, by: \.incarnation)
        for (_, life) in lives.sorted(by: { $0.key.bits < $1.key.bits }) {
            let answered = life.filter { $0.endedAt != nil }.sorted { $0.endedAt ?? 0 < $1.endedAt ?? 0 }
            var newest: Turn?
            var place = 0
            for turn in life.sorted(by: { $0.askedAt < $1.askedAt }) {
                while place < answered.count, answered[place].endedAt ?? 0 < turn.askedAt {
                    if newest.map({ $0.version < answered[place].version }) ?? true {
                        newest = answered[place]
                    }
                    place += 1
                }
                guard let newest, turn.version < newest.version else { continue }
                violate("\(turn.key) overtook \(newest.key)")
            }
        }
    }
}
