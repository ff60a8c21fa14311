import FleetClient
import FleetProtocol
import FleetTime

/// The requests of a coordinator or a tester about one load test, which survive a restart of the controller.
struct LoadTestLink: Sendable {
    /// The pause between two attempts.
    private static let retryPause: Duration = .milliseconds(200)

    /// The client.
    let client: FleetClient
    /// The environment of the command.
    let surroundings: Surroundings

    /// Sends a request, and repeats it while the controller does not answer, for ``Limits/loadTestLease``.
    ///
    /// - Returns: The reply; nil if the controller does not know the load test.
    /// - Throws: The error of the last attempt.
    func send(_ request: LoadTestRequest) async throws -> LoadTestReply? {
        let deadline = surroundings.now().monotonic.advanced(by: Limits.loadTestLease)
        while true {
            do throws(FleetError) {
                return try await client.request(request, as: nil, timeout: Limits.defaultTimeout)
            } catch {
                switch error {
                case .refused(.notFound): return nil
                case .noReply, .noController, .refused(.busy):
                    guard surroundings.now().monotonic < deadline else { throw error }
                default: throw error
                }
            }
            try await surroundings.pause(Self.retryPause)
        }
    }
}
