import FleetClient
import FleetProtocol
import LoadCore
import UserText

/// A load test whose testers have been started: it follows them, and pulls the result of each at its end.
struct StartedTest {
    private struct Tester {
        var status: TesterStatus
        var lastMessageAt: MonotonicTime
        /// Whether its result was pulled, or could not be.
        var isOver = false
        var result: TesterResult?

        func isLost(at now: MonotonicTime) -> Bool { lastMessageAt.duration(to: now) > Limits.loadTestLease }
    }

    /// The interval between two looks at the testers.
    private static let interval: Duration = .seconds(1)
    /// The pause before an absent part of a result is pulled again.
    private static let partPause: Duration = .milliseconds(5)
    private static let absence: Duration = .seconds(2)

    private let opening: LoadTestOpening
    private let start: MonotonicTime
    private let link: LoadTestLink
    private let surroundings: Surroundings
    private let interruption: LoadInterruption
    private let watch: LoadWatch
    private var testers: [UInt32: Tester] = [:]

    init(
        opening: LoadTestOpening, start: MonotonicTime, joined: [TesterStatus], link: LoadTestLink,
        surroundings: Surroundings, interruption: LoadInterruption, watch: LoadWatch
    ) {
        (self.opening, self.start, self.link) = (opening, start, link)
        (self.surroundings, self.interruption, self.watch) = (surroundings, interruption, watch)
        update(joined, at: surroundings.now().monotonic)
    }

    /// Starts the testers, and returns the result of each by number: nil for a tester that is lost.
    mutating func results(of plan: LoadPlan) async throws -> [(name: String, result: TesterResult?)] {
        update(try await state(after: .start(opening.id, delay: startsIn)))
        // A tester that still answers this late has stopped to make progress.
        let deadline = start.advanced(
            by: plan.warmup + plan.duration + plan.timeout + Limits.loadTestLease * 2)
        while true {
            try await surroundings.pause(Self.interval)
            update(try await state(after: request))
            for (number, tester) in testers where tester.status.phase == .done && !tester.isOver {
                let result = try await result(of: tester.status)
                testers[number]?.result = result
                testers[number]?.isOver = true
            }
            let now = surroundings.now().monotonic
            let isOver = testers.values.allSatisfy { $0.isOver || $0.isLost(at: now) }
            if isOver || now >= deadline || interruption.count > 2 { break }
            let elapsed = start.duration(to: now) - plan.warmup
            await watch.follow(
                LoadProgress(
                    of: testers.values.map(\.status.progress), elapsed: elapsed, duration: plan.duration))
        }
        return testers.sorted { $0.key < $1.key }.map { ($0.value.status.name.text, $0.value.result) }
    }

    /// The time to the start; zero if it has passed.
    private var startsIn: Duration { max(.zero, surroundings.now().monotonic.duration(to: start)) }

    /// The next request about the state: a stop is repeated, in case a restart of the controller has lost it.
    private var request: LoadTestRequest {
        interruption.hasCome
            ? .stop(opening.id, isAbandoning: interruption.count > 1) : .watch(opening.id)
    }

    /// Takes the newest state of the testers that the controller knows.
    private mutating func update(_ list: [TesterStatus], at now: MonotonicTime) {
        for status in list {
            let lastMessageAt = now.advanced(by: .zero - status.silent)
            var tester = testers[status.tester] ?? Tester(status: status, lastMessageAt: lastMessageAt)
            (tester.status, tester.lastMessageAt) = (status, lastMessageAt)
            testers[status.tester] = tester
        }
    }

    /// Takes the state of an answer; testers that could not reach the controller either are not lost yet.
    private mutating func update(_ answer: (state: LoadTestState, wasAway: Bool)) {
        let now = surroundings.now().monotonic
        if answer.wasAway { for number in testers.keys { testers[number]?.lastMessageAt = now } }
        update(answer.state.testers, at: now)
    }

    /// Returns the state after a request; opens the test again if the controller has lost it in a restart.
    private func state(after request: LoadTestRequest) async throws -> (state: LoadTestState, wasAway: Bool) {
        let asked = surroundings.now().monotonic
        var reply = try await link.send(request)
        var wasAway = asked.duration(to: surroundings.now().monotonic) > Self.absence
        if reply == nil {
            wasAway = true
            _ = try await link.send(
                .open(
                    LoadTestOpening(
                        id: opening.id, testers: opening.testers, plan: opening.plan,
                        startsIn: surroundings.now().monotonic.duration(to: start))))
            reply = try await link.send(request)
        }
        guard case .state(let state)? = reply else { throw FleetError.unexpectedReply }
        return (state, wasAway)
    }

    /// Pulls the result of a tester; nil if it does not arrive, or cannot be read.
    private func result(of tester: TesterStatus) async throws -> TesterResult? {
        var bytes: [UInt8] = []
        var deadline = surroundings.now().monotonic.advanced(by: Limits.loadTestLease)
        while surroundings.now().monotonic < deadline, bytes.count < Int(Limits.loadResultBytes),
            interruption.count < 3
        {
            let offset = UInt64(bytes.count)
            let reply = try await link.send(.pull(opening.id, tester: tester.tester, offset: offset))
            guard case .part(let part)? = reply, !part.content.isEmpty else {
                // After a restart the controller knows neither the test nor the tester until both report.
                if reply == nil { _ = try await state(after: request) }
                try await surroundings.pause(Self.partPause)
                continue
            }
            bytes += part.content
            deadline = surroundings.now().monotonic.advanced(by: Limits.loadTestLease)
            guard part.isLast else { continue }
            do throws(PlanError) {
                return try TesterResult(json: bytes)
            } catch {
                surroundings.notify("fleet: tester \(tester.name): \(error)")
                return nil
            }
        }
        return nil
    }
}
