import FleetClient
import ProcessSupport

/// A controller that does not answer, although its process exists.
extension ControllerAccess {
    /// How long a command waits for a connection before it tells the user.
    static let quietTime: Duration = .seconds(1)

    /// Runs work with a client, and reports on standard error a long wait for a connection.
    func reportingWait<Result: Sendable>(
        for client: FleetClient, _ work: @Sendable (FleetClient) async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    try await surroundings.pause(Self.quietTime)
                } catch {
                    return  // The work has ended.
                }
                guard await !client.isConnected else { return }
                surroundings.notify("fleet: waiting for \(controller)")
            }
            defer { group.cancelAll() }
            do {
                return try await work(client)
            } catch let error as FleetError {
                throw silence(error) ?? error
            }
        }
    }

    /// The failure of a controller whose process runs but accepts no connection; nil for any other error.
    private func silence(_ error: FleetError) -> (any Error)? {
        guard case .noController = error, let holder else { return nil }
        return CommandFailure(
            .absent, "the controller (pid \(holder)) does not answer",
            advice: "restart it with `fleet restart controller`; find the cause with `fleet doctor`")
    }

    private var holder: Int32? { LockTable.holder(of: directory.lockFile(for: "controller")) }

    private var controller: String { holder.map { "the controller (pid \($0))" } ?? "the controller" }
}
