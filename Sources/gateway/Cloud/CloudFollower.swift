import FleetClient
import FleetProtocol
import Runtime
import ServiceLifecycle

/// Asks the supervisor what goes wrong with the cloud, and says what met requests.
///
/// The gateway keeps nothing of it: one that starts again asks before it serves. Where there is no
/// supervisor nothing goes wrong.
struct CloudFollower: Service {
    /// How often it asks.
    private static let interval: Duration = .milliseconds(200)
    /// How long the supervisor may take to answer.
    private static let patience: Duration = .seconds(1)

    let cloud: Cloud
    let directory: RunDirectory

    /// Asks once, so that the first request finds it as it is.
    func begin() async {
        guard let endpoint = try? directory.endpoint(.supervisor), hasSupervisor else { return }
        let reply = try? await SupervisorClient.ask(
            .cloudReport(cloud.report), at: endpoint, patience: Self.patience)
        if let plan = reply?.cloud { cloud.take(plan) }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await World.sleep(Self.interval)) != nil {
                guard hasSupervisor, let endpoint = try? directory.endpoint(.supervisor) else { continue }
                // A connection that fails is one that begins anew.
                try? await SupervisorClient.withClient(at: endpoint) { try await follow($0) }
            }
        }
    }

    private var hasSupervisor: Bool { (try? directory.hasFile(of: .supervisor)) ?? false }

    /// Asks again and again, until an answer fails to come.
    private func follow(_ supervisor: SupervisorClient) async throws {
        while let reply = await supervisor.ask(.cloudReport(cloud.report), patience: Self.patience) {
            if let plan = reply.cloud {
                // That it is gone by is said at once: somebody waits for it.
                cloud.take(plan)
            } else {
                try await World.sleep(Self.interval)
            }
        }
    }
}
