import FleetClient
import FleetProtocol
import Stepping
import UnixSignals
import Wording

/// Starts a sequence, and tells the end of each of its commands once, until all has ended or somebody has
/// seen enough.
///
/// The controller is asked again twice a second, which is as exact as a person can see; while it does not
/// answer, because it is being started again for example, it is asked on for ``absence``.
struct SequenceFollowing: Sendable {
    /// How long a controller may not answer.
    static let absence: Duration = .seconds(60)
    private static let interval: Duration = .milliseconds(500)
    private static let patience: Duration = .seconds(2)

    private enum Progress: Sendable {
        case interrupted
        case ended(Result<ExitStatus, CommandFailure>)
    }

    /// The sequence.
    let id: RequestID
    /// What its devices are called.
    let names: SequenceNames
    /// Whether lines are for scripts.
    let isJSON: Bool
    /// The world.
    let surroundings: Surroundings

    /// Starts it, or finds it where it was started before, and looks on.
    ///
    /// - Returns: What the sequence comes to; `undecided` when somebody has seen enough.
    func run(_ plan: SequencePlan, with client: FleetClient) async throws(CommandFailure) -> ExitStatus {
        let signals = await surroundings.stopSignals()
        let progress = await withTaskGroup(of: Progress.self) { group in
            group.addTask {
                do throws(CommandFailure) {
                    return .ended(.success(try await follow(plan, with: client)))
                } catch {
                    return .ended(.failure(error))
                }
            }
            group.addTask {
                for await _ in signals { break }
                return .interrupted
            }
            let first = await group.next() ?? .interrupted
            group.cancelAll()
            return first
        }
        surroundings.showProgress(nil)
        switch progress {
        case .ended(let result): return try result.get()
        case .interrupted:
            surroundings.say("fleet: the sequence goes on; \(Self.advice(on: id))")
            return .undecided
        }
    }

    private func follow(
        _ plan: SequencePlan, with client: FleetClient
    ) async throws(CommandFailure) -> ExitStatus {
        var teller = SequenceTeller(names: names, isJSON: isJSON, surroundings: surroundings)
        var report = try await answer { () async throws(FleetError) in
            try await client.startSequence(id, plan, patience: Self.patience)
        }
        surroundings.say(
            "sequence \(id): \(Count.of(plan.commands.count, "command")); Ctrl-C leaves it running")
        while true {
            teller.tell(report)
            guard !report.state.isFinal else { return teller.conclude(report) }
            do {
                try await surroundings.pause(Self.interval)
            } catch {
                return .undecided
            }
            report = try await answer { () async throws(FleetError) in
                try await client.sequence(id, patience: Self.patience)
            }
        }
    }

    /// What the controller answers, asked again where it does not.
    private func answer(
        _ ask: () async throws(FleetError) -> SequenceReport
    ) async throws(CommandFailure) -> SequenceReport {
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
                throw CommandFailure(.undecided, "nobody looks on any more", advice: Self.advice(on: id))
            }
        }
    }

    private static func advice(on id: RequestID) -> String {
        "`fleet sequence show \(id)` tells how it stands, `fleet sequence cancel \(id)` ends it"
    }
}

extension FleetError {
    /// Whether it may be answered in a moment: by a controller that is being started again, for example.
    fileprivate var mayPass: Bool {
        switch self {
        case .noAnswer, .noController, .refused(.busy): true
        case .refused, .badReply, .unexpectedReply, .tooManyRequests, .closed, .cancelled, .transport: false
        }
    }
}
