import ControllerCore
import FleetProtocol
import FleetReplica

/// Checks of the whole history, at the end.
extension Ledger {
    mutating func close() {
        exchanges.close(&findings)
        let keys = requests.keys
        let indices = keys.indices.sorted {
            (keys[$0].id, keys[$0].account) < (keys[$1].id, keys[$1].account)
        }
        for index in indices {
            if let outcome = requests[index].committed {
                check(keys[index], requests[index], outcome)
            } else if requests[index].content != nil {
                violate("\(keys[index]) was admitted and never ended")
            } else if !requests[index].applied.isEmpty {
                violate("\(keys[index]) was applied and never admitted")
            }
        }
        for key in expected {
            let final = requests.index(of: key).flatMap { requests[$0].sent }
            guard case .applied? = final else {
                violate("\(key) was sent without faults, and is \(final.map(\.name) ?? "nothing")")
                continue
            }
        }
        closeCommandQueues()
        seen.formUnion(findings.queueStates.map { "queue \($0.name)" })
        seen.formUnion(findings.staleness.map { "stale: \($0.name)" })
        let judged = indices.filter { index in
            guard let device = requests[index].content?.device else { return true }
            return !memories.wasRolledBack(device, in: requests[index].applied)
        }
        checkOrder(of: judged.compactMap { AppliedRequest(keys[$0], requests[$0]) })
    }

    private mutating func check(_ key: Key, _ request: RequestHistory, _ outcome: Outcome) {
        let effects = request.applied
        if let device = request.content?.device, memories.wasRolledBack(device, in: effects) { return }
        switch outcome {
        case .applied(let state):
            if effects != [state] { violate("\(key) was applied as \(state), and the device did \(effects)") }
            if let base = request.base, state.version != base.next {
                violate("\(key) was applied as \(state), and its base was version \(base)")
            }
            if let expected = request.content?.expected,
                expected.incarnation != state.incarnation || expected.version.next != state.version
            {
                violate("\(key) was applied as \(state), and expected \(expected)")
            }
        case .unchanged where request.content?.kind == .toggle:
            violate("\(key) is a toggle that changed nothing")
        // All controller processes continue one journal, so devices receive no commands of others. A copy of
        // a device may have carried out commands that the device has not received.
        case .undetermined(.superseded) where request.content.map { !memories.isForked($0.device) } ?? true:
            violate("\(key) is superseded, and all controllers have one journal")
        case .undetermined, .unknown: break
        case .unchanged, .conflict, .rejected, .cancelled, .expired:
            if !effects.isEmpty { violate("\(key) is \(outcome.name) and was applied: \(effects)") }
        }
    }

    /// A request that was applied, with its order among others.
    private struct AppliedRequest {
        let key: Key
        let requestedAt: Int
        let endedAt: Int?
        let version: Version
        let incarnation: Incarnation

        /// Nil for a request that was not applied.
        init?(_ key: Key, _ request: RequestHistory) {
            guard let state = request.applied.first else { return nil }
            self.key = key
            (requestedAt, endedAt) = (request.requestedAt ?? 0, request.endedAt)
            (version, incarnation) = (state.version, state.incarnation)
        }
    }

    /// Invariant: a request that ended before another was sent was also applied before it. In the order in
    /// which requests were sent, no version is lower than that of any request that had ended by then.
    private mutating func checkOrder(of applied: [AppliedRequest]) {
        let groups = Dictionary(grouping: applied, by: \.incarnation)
        for (_, group) in groups.sorted(by: { $0.key.bits < $1.key.bits }) {
            let ended = group.filter { $0.endedAt != nil }.sorted { $0.endedAt ?? 0 < $1.endedAt ?? 0 }
            var newest: AppliedRequest?
            var index = 0
            for request in group.sorted(by: { $0.requestedAt < $1.requestedAt }) {
                while index < ended.count, ended[index].endedAt ?? 0 < request.requestedAt {
                    if newest.map({ $0.version < ended[index].version }) ?? true { newest = ended[index] }
                    index += 1
                }
                guard let newest, request.version < newest.version else { continue }
                violate("\(request.key) overtook \(newest.key)")
            }
        }
    }
}
