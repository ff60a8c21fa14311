import FleetClient
import FleetProtocol
import Runtime

/// The way to the supervisor of a local fleet.
struct SupervisorAccess: Sendable {
    /// Where the fleet is.
    let directory: RunDirectory

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
