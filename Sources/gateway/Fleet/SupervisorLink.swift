import FleetClient
import FleetProtocol
import Runtime

/// The gateway's one connection to the supervisor, on the thread of the controller's client.
struct SupervisorLink: Sendable {
    private let directory: RunDirectory
    private let client: SupervisorClient

    /// The way to the supervisor of a run directory, where there may be none.
    ///
    /// - Throws: `RuntimeError` where its socket can have no place.
    init(in directory: RunDirectory, beside controller: FleetClient) throws(RuntimeError) {
        self.directory = directory
        client = SupervisorClient(at: try directory.endpoint(.supervisor), on: controller.loop)
    }

    /// Asks.
    ///
    /// - Parameter patience: The longest wait for the answer.
    /// - Returns: The answer; nil without a supervisor, or when no answer came in time.
    func ask(_ request: SupervisorRequest, patience: Duration) async -> SupervisorReply? {
        guard (try? directory.hasFile(of: .supervisor)) ?? false else { return nil }
        return try? await client.ask(request, patience: patience)
    }
}
