import FleetClient
import FleetProtocol

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
