import FleetProtocol

/// A load test of an account: its testers, its start, and the parts of results that its coordinator has not
/// pulled yet.
struct LoadTest: Sendable {
    private enum Phase {
        case waiting
        case started(MonotonicTime)
        case stopped(TesterSignal)
    }

    private struct Tester {
        let agent: RequestID
        let name: NodeName
        var phase = TesterPhase.preparing
        var progress = TesterProgress()
        var lastMessageAt: MonotonicTime
        /// The part that the coordinator has not confirmed yet.
        var part: TesterPart?
        /// The offset of the coordinator's last pull; nil before the first.
        var pulled: UInt64?
    }

    /// The start that is longest ago, for a test that is opened again.
    private static let earliestStart: Duration = .seconds(-24 * 3_600)

    /// The ID that its coordinator has made.
    let id: RequestID
    let author: Email

    private let opening: LoadTestOpening
    private var phase: Phase
    private var lastMessageAt: MonotonicTime
    private var testers: [UInt32: Tester] = [:]

    init(_ opening: LoadTestOpening, by author: Email, at now: MonotonicTime) {
        (id, self.author, self.opening, lastMessageAt) = (opening.id, author, opening, now)
        let start = opening.startsIn.map { max(min($0, Limits.longestLoadDelay), Self.earliestStart) }
        phase = start.map { .started(now.advanced(by: $0)) } ?? .waiting
    }

    func isAbandoned(at now: MonotonicTime) -> Bool { lastMessageAt.duration(to: now) > Limits.loadTestLease }

    /// Handles a request of the coordinator; nil for an unknown tester.
    mutating func coordinate(_ request: LoadTestRequest, at now: MonotonicTime) -> LoadTestReply? {
        lastMessageAt = now
        switch request {
        case .start(_, let delay): if case .waiting = phase { phase = .started(now.advanced(by: delay)) }
        case .stop(_, let isAbandoning): phase = .stopped(isAbandoning ? .abandon : .stop)
        case .pull(_, let tester, let offset): return pull(tester, from: offset)
        default: break
        }
        dropLostTesters(at: now)
        return .state(state(at: now))
    }

    private mutating func pull(_ tester: UInt32, from offset: UInt64) -> LoadTestReply? {
        guard testers[tester] != nil else { return nil }
        testers[tester]?.pulled = offset
        if let part = testers[tester]?.part {
            if part.offset == offset { return .part(part) }
            testers[tester]?.part = nil
        }
        return .part(TesterPart(id: id, tester: tester, offset: offset, content: [], isLast: false))
    }

    /// Frees the places of lost testers, until the start; later their coordinator has to know of them.
    private mutating func dropLostTesters(at now: MonotonicTime) {
        guard case .waiting = phase else { return }
        testers = testers.filter { $0.value.lastMessageAt.duration(to: now) <= Limits.loadTestLease }
    }

    private func state(at now: MonotonicTime) -> LoadTestState {
        let list = testers.sorted { $0.key < $1.key }.map { number, tester in
            TesterStatus(
                tester: number, name: tester.name, phase: tester.phase, progress: tester.progress,
                silent: tester.lastMessageAt.duration(to: now))
        }
        return LoadTestState(id: id, testers: list)
    }

    /// Gives a tester its place; nil if all places are taken or the test has started.
    mutating func join(_ entry: TesterEntry, at now: MonotonicTime) -> TesterOrder? {
        dropLostTesters(at: now)
        var number = testers.first { $0.value.agent == entry.agent }?.key
        if number == nil, case .waiting = phase {
            number = (0..<opening.testers).first { testers[$0] == nil }
        }
        guard let number else { return nil }
        testers[number, default: Tester(agent: entry.agent, name: entry.name, lastMessageAt: now)]
            .lastMessageAt = now
        return TesterOrder(id: id, tester: number, testers: opening.testers, plan: opening.plan)
    }

    /// Records the report of a tester; nil if its number is out of range or that of another tester.
    mutating func take(_ report: TesterReport, at now: MonotonicTime) -> LoadTestReply? {
        guard report.tester < opening.testers else { return nil }
        var tester =
            testers[report.tester] ?? Tester(agent: report.agent, name: report.name, lastMessageAt: now)
        guard tester.agent == report.agent else { return nil }
        (tester.phase, tester.progress, tester.lastMessageAt) = (report.phase, report.progress, now)
        testers[report.tester] = tester
        return .signal(signal(at: now))
    }

    private func signal(at now: MonotonicTime) -> TesterSignal {
        switch phase {
        case .waiting: .wait
        case .started(let start): .start(inUs: now.duration(to: start).wholeNanoseconds / 1_000)
        case .stopped(let signal): signal
        }
    }

    /// Takes a part of a tester's result if the coordinator waits for it; nil for an unknown tester.
    mutating func take(_ part: TesterPart, at now: MonotonicTime) -> LoadTestReply? {
        guard var tester = testers[part.tester] else { return nil }
        tester.lastMessageAt = now
        if tester.part == nil, part.offset == tester.pulled { tester.part = part }
        testers[part.tester] = tester
        if let held = tester.part { return .taken(nextOffset: held.offset + UInt64(held.content.count)) }
        return .taken(nextOffset: tester.pulled ?? part.offset)
    }
}
