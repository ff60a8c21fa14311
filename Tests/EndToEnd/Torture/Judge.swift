import DeviceLogs
import FleetProtocol

/// Compares the clients' answers with what devices did.
struct Judge {
    /// All data about one request.
    private struct Case {
        var observed: [Asked] = []
        var entries: [DeviceLog.Entry] = []

        var applied: [DeviceLog.Entry] { entries.filter { $0.used?.verdict == .applied } }
        /// The version that its client expected.
        var expected: Expectation? { observed.lazy.compactMap(\.expected).first }
        /// Each final outcome that was received.
        var ends: Set<Outcome> { Set(observed.compactMap(\.end)) }
        /// Whether the task that toggled was cancelled, possibly before the message was sent.
        var mayNeverHaveBeenSent: Bool {
            observed.allSatisfy { $0.end == nil || $0.answer == .cancel(.cancelled) && $0.kind == .toggle }
        }
    }

    /// The maximum number of violations of one kind that are listed.
    private static let reportedAtMost = 10

    private let devices: [DeviceID: [DeviceLog.Entry]]
    /// Whether devices have memory: without it only the clients' answers are compared.
    private let hasMemory: Bool
    private var cases: [RequestID: Case] = [:]
    private var found: [Violation] = []

    init(_ history: [Asked], _ log: DeviceLog?) {
        devices = log?.entries ?? [:]
        hasMemory = log != nil
        for one in history { cases[one.requestID, default: Case()].observed.append(one) }
        for entry in devices.values.joined() {
            guard let used = entry.used else { continue }
            cases[used.requestID, default: Case()].entries.append(entry)
        }
    }

    /// All violations.
    mutating func violations() -> [Violation] {
        found = []
        for (requestID, one) in cases.sorted(by: { $0.key < $1.key }) {
            judgeEnds(requestID, one)
            if hasMemory { judgeEffects(requestID, one) }
        }
        for (device, entries) in devices.sorted(by: { $0.key < $1.key }) { judgeOrder(device, entries) }
        if hasMemory { judgeReplyOrder() }
        return found
    }

    /// One outcome for all clients, and no other after it.
    private mutating func judgeEnds(_ requestID: RequestID, _ one: Case) {
        let ends = one.ends
        if ends.count > 1 { fail(.oneEnd, "\(requestID) ended as \(ends)") }
        if one.observed.contains(where: \.isBaselessConflict) {
            fail(.oneEnd, "\(requestID) conflicts with the version that it named")
        }
        guard let firstEnd = one.observed.filter({ $0.end != nil }).map(\.answeredAt).min() else { return }
        for later in one.observed where later.askedAt > firstEnd && later.kind == .question {
            guard later.end == nil else { continue }
            if later.answer == .refused(.notFound), one.mayNeverHaveBeenSent { continue }
            fail(.oneEnd, "\(requestID) ended as \(ends), and then the answer is \(later.answer)")
        }
    }

    /// Acknowledged requests happened once; refused or cancelled ones never did.
    private mutating func judgeEffects(_ requestID: RequestID, _ one: Case) {
        let applied = one.applied
        if applied.count > 1 { fail(.usedOnce, "\(requestID) was applied \(applied.count) times") }
        if let expected = one.expected, let entry = applied.first, !entry.follows(expected) {
            fail(.expected, "\(requestID) was for \(expected), and led to \(entry.reported)")
        }
        if one.observed.isEmpty, !applied.isEmpty { fail(.neverApplied, "\(requestID) was never requested") }
        for end in one.ends {
            switch end {
            case .applied(let state):
                if applied.map(\.reported) != [state] {
                    fail(.appliedOnce, "\(requestID): \(state), and devices say \(applied.map(\.reported))")
                }
            case .unchanged, .conflict, .rejected, .cancelled, .expired:
                if !applied.isEmpty { fail(.neverApplied, "\(requestID) ended as \(end), and was applied") }
            case .undetermined, .unknown: break
            }
        }
        guard !applied.isEmpty, one.observed.filter({ $0.kind != .question }).allSatisfy(\.isRefused)
        else { return }
        fail(.neverApplied, "\(requestID) was refused, and was applied: \(one.observed.map(\.answer))")
    }

    /// A device's command numbers rise, its epochs never fall, and each change has the next version.
    private mutating func judgeOrder(_ device: DeviceID, _ entries: [DeviceLog.Entry]) {
        for (before, after) in zip(entries, entries.dropFirst()) {
            let place = "\(device), version \(after.reported.version), epoch \(after.epoch)"
            if after.epoch < before.epoch { fail(.epochs, "\(place) follows epoch \(before.epoch)") }
            if after.reported.incarnation != before.reported.incarnation {
                fail(.order, "\(place): it lost its memory")
                continue
            }
            let hasChanged = after.used?.verdict == .applied
            let version = hasChanged ? before.reported.version.next : before.reported.version
            if after.reported.version != version { fail(.order, "\(place): expected \(version)") }
            if (after.reported.state.isOn != before.reported.state.isOn) != hasChanged {
                fail(.order, "\(place): on is \(after.reported.state.isOn), which is wrong")
            }
        }
        let commandNumbers = entries.compactMap(\.used?.commandNumber)
        for (before, after) in zip(commandNumbers, commandNumbers.dropFirst()) where after <= before {
            fail(.order, "\(device): command number \(after) follows \(before)")
        }
    }

    /// A request after an answer has a later version than that answer.
    private mutating func judgeReplyOrder() {
        for (device, entries) in devices.sorted(by: { $0.key < $1.key }) {
            var earliestReply: ContinuousClock.Instant?
            for entry in entries.reversed() {
                guard let used = entry.used, used.verdict == .applied, let one = cases[used.requestID],
                    let askedAt = one.observed.map(\.askedAt).min()
                else { continue }
                if let earliestReply, earliestReply < askedAt {
                    fail(.order, "\(device): version \(entry.reported.version) was requested too late")
                }
                let answers = one.observed.filter { $0.end != nil }.map(\.answeredAt)
                if let first = answers.min() { earliestReply = min(earliestReply ?? first, first) }
            }
        }
    }

    private mutating func fail(_ promise: Violation.Promise, _ text: String) {
        let count = found.count { $0.promise == promise }
        guard count <= Self.reportedAtMost else { return }
        found.append(
            Violation(promise: promise, text: count == Self.reportedAtMost ? "and more of these" : text))
    }
}

extension DeviceLog.Entry {
    /// Whether the device had that version before.
    fileprivate func follows(_ expected: Expectation) -> Bool {
        reported.incarnation == expected.incarnation && reported.version == expected.version.next
    }
}

extension Asked {
    /// Whether it started nothing.
    var isRefused: Bool {
        switch answer {
        case .refused, .unsent: true
        case .outcome, .cancel, .nothing: false
        }
    }

    /// Whether it conflicts with exactly the version that the client expected.
    fileprivate var isBaselessConflict: Bool {
        guard kind == .toggle, let expected, case .outcome(.conflict(let state)) = answer else {
            return false
        }
        return state.expectation == expected
    }
}
