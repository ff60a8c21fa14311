import FleetClient
import FleetProtocol
import FleetTime
import LoadCore
import UserText

/// A load that several testers carry out together: it starts them at one instant, and adds their results.
struct LoadCoordinator: Sendable {
    /// How long the coordinator waits for its testers to join.
    private static let joinTimeout: Duration = .seconds(300)
    /// The time from the start to the first requests, in which each tester orders its devices.
    private static let startDelay: Duration = .seconds(1)
    /// The interval between two looks at the testers while they join, and while they run.
    private static let (joinInterval, runInterval): (Duration, Duration) = (.milliseconds(200), .seconds(1))
    /// The pause before an absent part of a result is pulled again.
    private static let partPause: Duration = .milliseconds(5)

    /// The number of testers.
    let testers: Int
    /// The objectives, for all testers together.
    let objectives: [Objective]
    /// The selectors of the devices.
    let selectors: [String]
    /// The environment of the command.
    let surroundings: Surroundings
    /// Ctrl-C: the first stops the testers, the second does not wait for their results.
    let interruption: LoadInterruption

    /// Carries out loads one after another.
    ///
    /// - Throws: `CommandFailure` if testers are missing, and errors of the client.
    func measure(_ plans: [LoadPlan], with access: ControllerAccess) async throws -> [LoadMeasurement] {
        let loads = try loads(of: plans)
        return try await access.withSession { client in
            let link = LoadTestLink(client: client, surroundings: surroundings)
            var measured: [LoadMeasurement] = []
            for load in loads where measured.isEmpty || !interruption.hasCome {
                measured.append(try await carryOut(load, over: link))
            }
            return measured
        }
    }

    private func loads(of plans: [LoadPlan]) throws(CommandFailure) -> [SharedLoad] {
        do throws(PlanError) {
            var loads: [SharedLoad] = []
            for plan in plans {
                loads.append(
                    try SharedLoad(
                        plan, selectors: selectors, among: testers, isLast: loads.count == plans.count - 1))
            }
            return loads
        } catch {
            throw CommandFailure(.usage, error.description)
        }
    }

    private func carryOut(_ load: SharedLoad, over link: LoadTestLink) async throws -> LoadMeasurement {
        let test = LoadTestOpening(
            id: surroundings.makeRequestID(), testers: UInt32(testers), plan: load.json)
        await interruption.handle { _ = try? await link.send(.stop(test.id)) }
        let result: Result<LoadMeasurement, any Error>
        do {
            result = .success(try await measure(load, in: test, over: link))
        } catch {
            result = .failure(error)
        }
        surroundings.showProgress(nil)
        _ = try? await link.send(.end(test.id))
        return try result.get()
    }

    private func measure(
        _ load: SharedLoad, in test: LoadTestOpening, over link: LoadTestLink
    ) async throws -> LoadMeasurement {
        let joined = try await awaitTesters(of: test, over: link)
        surroundings.notify(
            "fleet: \(Count.of(testers, "tester")), \(LoadSummary.demand(of: load.plan)), "
                + LoadSummary.length(of: load.plan))
        _ = try await state(of: test, after: .start(test.id, delay: Self.startDelay), over: link)
        let started = LoadTestOpening(
            id: test.id, testers: test.testers, plan: test.plan, hasStarted: true)
        let ended = try await follow(load.plan, joined, in: started, over: link)
        var results: [(name: String, result: TesterResult?)] = []
        for tester in ended {
            let result = tester.phase == .done ? try await result(of: tester, in: started, over: link) : nil
            if result == nil {
                surroundings.notify("fleet: tester \(tester.name) was lost: its requests are not counted")
            }
            results.append((tester.name.text, result))
        }
        guard results.contains(where: { $0.result != nil }) else {
            throw CommandFailure(
                .absent, "no tester has sent a result",
                advice: "see the messages of `fleet load agent` on each machine")
        }
        do throws(PlanError) {
            return try LoadMeasurement(of: load.plan, from: results, against: objectives)
        } catch {
            throw CommandFailure(.refused, error.description)
        }
    }

    // MARK: Steps

    /// Waits until all testers are ready, and returns them.
    private func awaitTesters(
        of test: LoadTestOpening, over link: LoadTestLink
    ) async throws -> [TesterStatus] {
        let deadline = surroundings.now().monotonic.advanced(by: Self.joinTimeout)
        var shown = ""
        while true {
            let joined = try await state(of: test, after: .open(test), over: link).testers
            if joined.count(where: { $0.phase == .ready }) == testers { return joined }
            guard !interruption.hasCome else {
                throw CommandFailure(.refused, "interrupted before the testers were ready")
            }
            guard surroundings.now().monotonic < deadline else {
                throw CommandFailure(
                    .absent, "\(joined.count) of \(Count.of(testers, "tester")) joined within 5 min",
                    advice: "run `fleet load agent` on each machine, logged in to this account")
            }
            let names = joined.map(\.name.text).joined(separator: ", ")
            let text =
                "waiting for testers: \(joined.count) of \(testers)" + (names.isEmpty ? "" : " (\(names))")
            if text != shown { surroundings.showProgress(text) }
            shown = text
            try await surroundings.pause(Self.joinInterval)
        }
    }

    /// Follows the testers until each has ended or is lost; returns their last state.
    private func follow(
        _ plan: LoadPlan, _ joined: [TesterStatus], in test: LoadTestOpening, over link: LoadTestLink
    ) async throws -> [TesterStatus] {
        let start = surroundings.now().monotonic.advanced(by: Self.startDelay)
        // A tester that still answers this late has stopped to make progress.
        let deadline = start.advanced(
            by: plan.warmup + plan.duration + plan.timeout + Limits.loadTestLease * 2)
        var roll = TesterRoll(joined, at: surroundings.now().monotonic)
        while true {
            try await surroundings.pause(Self.runInterval)
            let list = try await state(of: test, after: .watch(test.id), over: link).testers
            let now = surroundings.now().monotonic
            roll.update(list, at: now)
            if roll.isOver(at: now) || now >= deadline || interruption.count > 1 { return roll.testers }
            let elapsed = start.duration(to: now) - plan.warmup
            surroundings.showProgress(LoadSummary.line(of: roll.testers, elapsed: elapsed, of: plan.duration))
        }
    }

    /// Pulls the result of a tester; nil if the tester is lost.
    private func result(
        of tester: TesterStatus, in test: LoadTestOpening, over link: LoadTestLink
    ) async throws -> TesterResult? {
        var bytes: [UInt8] = []
        var deadline = surroundings.now().monotonic.advanced(by: Limits.loadTestLease)
        while surroundings.now().monotonic < deadline {
            let request = LoadTestRequest.pull(test.id, tester: tester.tester, offset: UInt64(bytes.count))
            guard case .part(let part)? = try await link.send(request), !part.content.isEmpty else {
                // After a restart the controller knows neither the test nor the tester until both report.
                _ = try await state(of: test, after: .watch(test.id), over: link)
                try await surroundings.pause(Self.partPause)
                continue
            }
            bytes += part.content
            deadline = surroundings.now().monotonic.advanced(by: Limits.loadTestLease)
            guard part.isLast else { continue }
            do throws(PlanError) {
                return try TesterResult(json: bytes)
            } catch {
                throw CommandFailure(.refused, "\(tester.name): \(error)")
            }
        }
        return nil
    }

    /// Returns the state of a load test after a request, which opens it again if the controller has lost it.
    private func state(
        of test: LoadTestOpening, after request: LoadTestRequest, over link: LoadTestLink
    ) async throws -> LoadTestState {
        var reply = try await link.send(request)
        if reply == nil {
            _ = try await link.send(.open(test))
            reply = try await link.send(request)
        }
        guard case .state(let state)? = reply else { throw FleetError.unexpectedReply }
        return state
    }
}

/// The testers of a started load test, also those that the controller has forgotten in a restart.
private struct TesterRoll {
    private struct Entry {
        var status: TesterStatus
        /// When its last message arrived.
        var lastMessageAt: MonotonicTime
    }

    private var entries: [UInt32: Entry] = [:]

    init(_ joined: [TesterStatus], at now: MonotonicTime) { update(joined, at: now) }

    /// Takes the newest state of the testers that the controller knows.
    mutating func update(_ list: [TesterStatus], at now: MonotonicTime) {
        for status in list {
            entries[status.tester] = Entry(
                status: status, lastMessageAt: now.advanced(by: .zero - status.silent))
        }
    }

    /// Whether each tester has ended or is lost.
    func isOver(at now: MonotonicTime) -> Bool {
        entries.values.allSatisfy {
            $0.status.phase == .done || $0.lastMessageAt.duration(to: now) > Limits.loadTestLease
        }
    }

    /// The last state of each tester, by number.
    var testers: [TesterStatus] { entries.sorted { $0.key < $1.key }.map(\.value.status) }
}
