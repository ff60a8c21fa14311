import FleetProtocol
import ProcessSupport
import UnixSignals

/// A fleet that is there for one load, in a run directory of its own, and leaves nothing behind.
///
/// It is supervised from within this process, as by `fleet up`: if this process is killed, the fleet ends
/// too.
struct OwnFleet: Sendable {
    /// What is to run.
    let plan: FleetPlan
    /// The world.
    let surroundings: Surroundings
    /// Ends the start of the fleet too.
    let interruption: LoadInterruption

    /// Starts the fleet, does something with it, and ends it whatever happens.
    ///
    /// - Throws: `CommandFailure` when it did not get ready, or was interrupted before it was; and what the
    ///   work throws.
    func use<Result: Sendable>(_ work: (RunDirectory) async throws -> Result) async throws -> Result {
        try await LoadDirectory(surroundings: surroundings).use { try await use($0, work) }
    }

    private func use<Result: Sendable>(
        _ directory: RunDirectory, _ work: (RunDirectory) async throws -> Result
    ) async throws -> Result {
        let (readiness, ready) = AsyncStream.makeStream(of: Void.self)
        let supervisor = supervisor(in: directory) {
            ready.yield()
            ready.finish()
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { ready.finish() }
                try await supervisor.run()
            }
            await interruption.handle { await end(directory) }
            var isReady = false
            for await _ in readiness { isReady = true }
            guard isReady else {
                try await group.waitForAll()
                throw CommandFailure(.refused, "given up: the fleet that was started is ended again")
            }
            let result: Swift.Result<Result, any Error>
            do {
                result = .success(try await work(directory))
            } catch {
                result = .failure(error)
            }
            await end(directory)
            try await group.waitForAll()
            return try result.get()
        }
    }

    /// A supervisor that hears of Ctrl-C from here alone: first the load ends, then the fleet.
    private func supervisor(
        in directory: RunDirectory, announce: @escaping @Sendable () -> Void
    ) -> Supervisor {
        var secluded = surroundings
        secluded.stopSignals = { await UnixSignalsSequence(trapping: []) }
        return Supervisor(
            plan: plan, directory: directory, display: .none, surroundings: secluded,
            announce: { _ throws(CommandFailure) in announce() })
    }

    /// Asks the supervisor to end everything, as `fleet down` does.
    private func end(_ directory: RunDirectory) async {
        do {
            _ = try await SupervisorAccess(directory: directory).ask(.endFleet)
        } catch {
            surroundings.say("fleet: the fleet of this load cannot be ended in order: \(error)")
        }
    }
}
