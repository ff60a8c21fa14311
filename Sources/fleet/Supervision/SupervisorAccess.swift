import FleetClient
import FleetProtocol
import Runtime

/// The way to the supervisor of a local fleet.
struct SupervisorAccess: Sendable {
    /// Where the fleet is.
    let directory: RunDirectory

    /// The failure of a supervisor that did not answer: it hangs, or is not there.
    var silence: CommandFailure {
        guard let holder = LockTable.holder(of: directory.lockFile(for: "supervisor")) else {
            return CommandFailure(
                .absent, "no fleet is running in \(directory)", advice: "start a fleet with `fleet up`")
        }
        return CommandFailure(
            .absent, "the supervisor (pid \(holder)) does not answer",
            advice: "`fleet doctor` looks for the reason")
    }

    /// Asks the supervisor.
    ///
    /// - Parameter patience: The longest wait for the answer.
    /// - Returns: The answer; nil when no supervisor is there.
    /// - Throws: `RuntimeError` or `BusError` when its socket cannot be used.
    func ask(_ request: SupervisorRequest, patience: Duration = .seconds(1)) async throws -> SupervisorReply?
    {
        // A file that was left by a supervisor that was killed costs the wait.
        guard try directory.hasFile(of: .supervisor) else { return nil }
        let endpoint = try directory.endpoint(.supervisor)
        return try await SupervisorClient.ask(request, at: endpoint, patience: patience)
    }
}
