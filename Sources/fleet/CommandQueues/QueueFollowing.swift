import FleetClient
import FleetProtocol
import UnixSignals
import UserText

/// Starts a command queue, and reports the end of each of its commands once, until all have ended or the user
/// stops watching.
///
/// It asks the controller twice a second. While the controller does not answer, such as during a restart, it
/// keeps asking for ``absence``.
struct QueueFollowing: Sendable {
    /// The longest tolerated absence of the controller.
    static let absence: Duration = .seconds(60)
    private static let interval: Duration = .milliseconds(500)
    private static let timeout: Duration = .seconds(2)

    private enum Progress: Sendable {
        case started(QueueReport)
        case interrupted
        case ended(Result<ExitStatus, CommandFailure>)
    }

    let id: RequestID
    let names: QueueNames
    let isJSON: Bool
    let surroundings: Surroundings

    /// Starts the command queue, or finds one that was started before, and follows it.
    ///
    /// - Returns: The exit status for the command queue; `undecided` when the user stopped watching.
    func run(_ plan: QueuePlan, with client: FleetClient) async throws(CommandFailure) -> ExitStatus {
        let signals = await surroundings.stopSignals()
        let (result, hasStarted) = await withTaskGroup { (group: inout TaskGroup<Progress>) in
            group.addTask { await started(plan, with: client) }
            group.addTask {
                for await _ in signals { break }
                return .interrupted
            }
            defer { group.cancelAll() }
            var hasStarted = false
            while let progress = await group.next() {
                switch progress {
                case .started(let report):
                    hasStarted = true
                    group.addTask { await ended(report, with: client) }
                case .interrupted: return (nil as Result<ExitStatus, CommandFailure>?, hasStarted)
                case .ended(let result): return (result, hasStarted)
                }
            }
            return (nil, hasStarted)
        }
        surroundings.showProgress(nil)
        if let result { return try result.get() }
        let text = hasStarted ? "the queue continues" : "the queue may or may not have been started"
        surroundings.notify("fleet: \(text); \(Self.advice(on: id))")
        return .undecided
    }

    private func started(_ plan: QueuePlan, with client: FleetClient) async -> Progress {
        do throws(CommandFailure) {
            return .started(try await start(plan, with: client))
        } catch {
            return .ended(.failure(error))
        }
    }

    private func ended(_ report: QueueReport, with client: FleetClient) async -> Progress {
        do throws(CommandFailure) {
            return .ended(.success(try await follow(report, with: client)))
        } catch {
            return .ended(.failure(error))
        }
    }

    private func start(
        _ plan: QueuePlan, with client: FleetClient
    ) async throws(CommandFailure) -> QueueReport {
        let report = try await answer { () async throws(FleetError) in
            try await client.startCommandQueue(id, plan, timeout: Self.timeout)
        }
        surroundings.notify(
            "queue \(id): \(Count.of(plan.commands.count, "command")); Ctrl-C leaves it running")
        return report
    }

    private func follow(
        _ first: QueueReport, with client: FleetClient
    ) async throws(CommandFailure) -> ExitStatus {
        var reporter = QueueReporter(names: names, isJSON: isJSON, surroundings: surroundings)
        var report = first
        while true {
            try reporter.report(report)
            guard !report.state.isFinal else { return try reporter.conclude(report) }
            do {
                try await surroundings.pause(Self.interval)
            } catch {
                return .undecided
            }
            report = try await answer { () async throws(FleetError) in
                try await client.commandQueue(id, timeout: Self.timeout)
            }
        }
    }

    /// Returns the controller's answer, and asks again while there is none.
    private func answer(
        _ ask: () async throws(FleetError) -> QueueReport
    ) async throws(CommandFailure) -> QueueReport {
        let began = surroundings.now().monotonic
        while true {
            do throws(FleetError) {
                return try await ask()
            } catch {
                guard error.mayPass, began.duration(to: surroundings.now().monotonic) < Self.absence else {
                    let failure = CommandFailure(error)
                    throw CommandFailure(
                        failure.status, failure.problem,
                        advice: error.mayPass ? Self.advice(on: id) : failure.advice)
                }
            }
            do {
                try await surroundings.pause(Self.interval)
            } catch {
                throw CommandFailure(.undecided, "stopped watching", advice: Self.advice(on: id))
            }
        }
    }

    private static func advice(on id: RequestID) -> String {
        "`fleet queue show \(id)` shows its state, `fleet queue cancel \(id)` ends it"
    }
}

extension FleetError {
    /// Whether a retry may succeed soon, for example when the controller restarts.
    fileprivate var mayPass: Bool {
        switch self {
        case .noReply, .noController, .refused(.busy): true
        case .refused, .badReply, .unexpectedReply, .tooManyRequests, .closed, .cancelled, .transport: false
        }
    }
}
