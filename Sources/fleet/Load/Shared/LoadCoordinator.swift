import FleetClient
import FleetProtocol
import LoadCore
import UserText

/// A load that several testers carry out together: it starts them at one instant, and adds their results.
struct LoadCoordinator: Sendable {
    /// How long the coordinator waits for its testers to join, and for a controller that is away.
    private static let (joinTimeout, absenceLimit): (Duration, Duration) = (.seconds(300), .seconds(60))
    /// The time from the start to the first requests, in which each tester orders its devices.
    private static let startDelay: Duration = .seconds(1)
    /// The interval between two looks at the testers while they join.
    private static let joinInterval: Duration = .milliseconds(200)

    let testers: Int
    let objectives: [Objective]
    let selectors: [String]
    let surroundings: Surroundings
    /// Ctrl-C: the first stops the testers, the second lets them abandon their requests, the third ends.
    let interruption: LoadInterruption
    let watch: LoadWatch

    /// Carries out loads one after another; after a failure, returns those that were measured before.
    func measure(_ plans: [LoadPlan], with access: ControllerAccess) async throws -> [LoadMeasurement] {
        let loads = try loads(of: plans)
        return try await access.withSession { client in
            let devices = try await LoadDevices.find(selectors, with: client, in: surroundings).count
            let link = LoadTestLink(client: client, surroundings: surroundings, limit: Self.absenceLimit)
            var measured: [LoadMeasurement] = []
            for load in loads where measured.isEmpty || !interruption.hasCome {
                watch.begin(load.plan, measured.count, of: loads.count)
                do {
                    measured.append(try await carryOut(load, on: devices, over: link))
                } catch let failure as CommandFailure where !measured.isEmpty {
                    surroundings.notify("fleet: \(failure)")
                    break
                }
            }
            return measured
        }
    }

    private func loads(of plans: [LoadPlan]) throws(CommandFailure) -> [SharedLoad] {
        do throws(PlanError) {
            return try plans.enumerated().map { index, plan throws(PlanError) in
                try SharedLoad(plan, selectors: selectors, among: testers, isLast: index == plans.count - 1)
            }
        } catch {
            throw CommandFailure(.usage, error.description)
        }
    }

    private func carryOut(
        _ load: SharedLoad, on devices: Int, over link: LoadTestLink
    ) async throws -> LoadMeasurement {
        let opening = LoadTestOpening(
            id: surroundings.makeRequestID(), testers: UInt32(testers), plan: load.json)
        let results = await Result(of: { try await self.results(of: load, in: opening, over: link) })
        surroundings.showProgress(nil)
        _ = try? await link.send(.end(opening.id))
        let found = try results.get()
        do throws(PlanError) {
            return try LoadMeasurement(of: load.plan, devices: devices, from: found, against: objectives)
        } catch {
            throw CommandFailure(.refused, error.description)
        }
    }

    private func results(
        of load: SharedLoad, in opening: LoadTestOpening, over link: LoadTestLink
    ) async throws -> [(name: String, result: TesterResult?)] {
        let joined = try await awaitTesters(of: opening, over: link)
        surroundings.showProgress(nil)
        surroundings.notify(
            "fleet: \(Count.of(testers, "tester")), \(LoadSummary.demand(of: load.plan)), "
                + LoadSummary.length(of: load.plan))
        let start = surroundings.now().monotonic.advanced(by: Self.startDelay)
        var test = StartedTest(
            opening: opening, start: start, joined: joined, link: link, surroundings: surroundings,
            interruption: interruption, watch: watch)
        let results = try await test.results(of: load.plan)
        surroundings.showProgress(nil)
        for (name, result) in results where result == nil {
            surroundings.notify("fleet: tester \(name) was lost: its requests are not counted")
        }
        guard results.contains(where: { $0.result != nil }) else {
            throw CommandFailure(
                .absent, "no tester has sent a result",
                advice: "see the messages of `fleet load agent` on each machine")
        }
        return results
    }

    /// Waits until all testers are ready, and returns them.
    private func awaitTesters(
        of opening: LoadTestOpening, over link: LoadTestLink
    ) async throws -> [TesterStatus] {
        let deadline = surroundings.now().monotonic.advanced(by: Self.joinTimeout)
        var shown = ""
        while true {
            guard case .state(let state)? = try await link.send(.open(opening)) else {
                throw FleetError.unexpectedReply
            }
            let ready = state.testers.filter { $0.phase == .ready }
            if ready.count == testers { return ready }
            guard !interruption.hasCome else {
                throw CommandFailure(.refused, "interrupted before the testers were ready")
            }
            guard surroundings.now().monotonic < deadline else {
                throw CommandFailure(
                    .absent, "\(ready.count) of \(Count.of(testers, "tester")) were ready within 5 min",
                    advice: "run `fleet load agent` on each machine, logged in to this account")
            }
            let names = state.testers.map(\.name.text).joined(separator: ", ")
            let text =
                "waiting for testers: \(ready.count) of \(testers)" + (names.isEmpty ? "" : " (\(names))")
            if text != shown { surroundings.showProgress(text) }
            shown = text
            try await surroundings.pause(Self.joinInterval)
        }
    }
}

/// The requests of a coordinator or a tester about one load test, which survive a restart of the controller.
struct LoadTestLink: Sendable {
    /// The pause between two attempts.
    private static let retryPause: Duration = .milliseconds(200)

    let client: FleetClient
    let surroundings: Surroundings
    /// How long a request is repeated while the controller does not answer.
    let limit: Duration

    /// Sends a request, and repeats it while the controller does not answer; nil for an unknown load test.
    func send(_ request: LoadTestRequest) async throws -> LoadTestReply? {
        let deadline = surroundings.now().monotonic.advanced(by: limit)
        while true {
            do throws(FleetError) {
                return try await client.request(request)
            } catch {
                guard error != .refused(.notFound) else { return nil }
                guard error.isAbsence, surroundings.now().monotonic < deadline else { throw error }
            }
            try await surroundings.pause(Self.retryPause)
        }
    }
}

extension FleetError {
    /// Whether the same request may succeed later: the controller is away or busy.
    var isAbsence: Bool {
        switch self {
        case .noReply, .noController(_, isDenied: false), .refused(.busy): true
        default: false
        }
    }
}
