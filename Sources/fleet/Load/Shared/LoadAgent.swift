import Bus
import FleetClient
import FleetProtocol
import LoadCore
import ProcessSupport
import UserText

/// A tester that waits for load tests of its account, and carries out its part of each.
struct LoadAgent: Sendable {
    /// The interval between two questions for a load test.
    private static let joinInterval: Duration = .milliseconds(500)
    /// The time within which the next load of a run follows.
    private static let nextLoadTimeout: Duration = .seconds(30)

    let name: NodeName
    /// Whether to end after one run of the coordinator.
    let isOnce: Bool
    let surroundings: Surroundings
    /// Ctrl-C: the first stops the load, which still delivers its result.
    let interruption: LoadInterruption
    let agent: RequestID

    /// Carries out load tests until Ctrl-C, or one run with `isOnce`, whose failure is `refused`.
    func run(with access: ControllerAccess) async throws -> ExitStatus {
        let session = try access.session
        return try await access.withSession { client in
            let link = LoadTestLink(client: client, surroundings: surroundings, limit: Limits.loadTestLease)
            surroundings.notify("fleet: tester \(name) waits for `fleet load --testers N`")
            var last: RequestID?
            while let order = try await order(after: last, over: link) {
                last = order.id
                do {
                    let isFinal = try await carryOut(order, as: session.token, over: link, access.connection)
                    if isOnce, isFinal { return .done }
                } catch {
                    surroundings.showProgress(nil)
                    surroundings.notify("fleet: \(CommandFailure(of: error))")
                    if isOnce { return .refused }
                }
            }
            return .done
        }
    }

    /// Asks for a place until there is one; nil after Ctrl-C, or if no other load of the run follows.
    private func order(after last: RequestID?, over link: LoadTestLink) async throws -> TesterOrder? {
        let deadline = surroundings.now().monotonic.advanced(by: Self.nextLoadTimeout)
        while !interruption.hasCome {
            do throws(FleetError) {
                let request = LoadTestRequest.join(TesterEntry(agent: agent, name: name))
                let reply = try await link.client.request(request)
                if case .order(let order) = reply, order.id != last { return order }
            } catch {
                // A controller that is away does not end a tester that waits.
                guard error.isAbsence else { throw error }
            }
            if isOnce, last != nil, surroundings.now().monotonic >= deadline { return nil }
            try await surroundings.pause(Self.joinInterval)
        }
        return nil
    }

    /// Carries out a part of a load test; returns whether no load of the same run follows.
    private func carryOut(
        _ order: TesterOrder, as token: Token, over link: LoadTestLink, _ connection: FleetConnection
    ) async throws -> Bool {
        let part = try LoadPart(of: order)
        let environment = LoadEnvironment.current(in: surroundings)
        let found = try await LoadDevices.find(part.load.selectors, with: link.client, in: surroundings)
        let run = TesterRun(
            part: part, devices: part.devices(found.map(\.id)), agent: agent, name: name, link: link,
            surroundings: surroundings, interruption: interruption)
        let (progress, progressFeed) = AsyncStream.makeStream(
            of: LoadProgress.self, bufferingPolicy: .bufferingNewest(1))
        let measured = try await Loop.withThread(name: "load", precision: .exact) { loop in
            defer { progressFeed.finish() }
            let driver = LoadDriver(
                on: loop, token: token, surroundings: surroundings, progressFeed: progressFeed)
            try await driver.connect(part.plan.connections, over: connection)
            return try await run.measure(with: driver, progress)
        }
        guard let measured else {
            surroundings.notify("fleet: the load test ended before its start")
            return part.load.isLast
        }
        let result = TesterResult(
            recording: measured.recording, environment: environment, startErrorUs: measured.startErrorUs)
        let isDelivered = try await run.deliver(result, of: measured)
        surroundings.notify(
            "fleet: \(LoadSummary.text(for: measured.result))"
                + (isDelivered ? "" : "; the coordinator has ended without this result"))
        return part.load.isLast || !measured.result.isComplete
    }
}

struct LoadPart: Sendable {
    let order: TesterOrder
    let load: SharedLoad
    let plan: LoadPlan

    /// Decodes the load of an order, and takes the part of its tester. Fails if the coordinator has another
    /// version.
    init(of order: TesterOrder) throws(CommandFailure) {
        self.order = order
        do throws(PlanError) {
            load = try SharedLoad(json: order.plan)
            plan = try load.part(of: Int(order.tester), among: Int(order.testers))
        } catch {
            throw CommandFailure(.refused, error.description)
        }
    }

    /// The delay of the first request after the common start.
    var offset: Duration { load.offset(of: Int(order.tester), among: Int(order.testers)) }

    func devices(_ all: [DeviceID]) -> [DeviceID] {
        SharedLoad.devices(all, of: Int(order.tester), among: Int(order.testers))
    }
}
