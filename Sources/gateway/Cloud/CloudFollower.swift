import FleetProtocol
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
    let supervisor: SupervisorLink

    /// Asks once, so that the first request finds it as it is.
    func begin() async {
        await follow()
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // A new plan is confirmed at once: the command that asked for it waits for that.
                if await follow() { continue }
                try? await World.sleep(Self.interval)
            }
        }
    }

    /// Asks, and goes by the plan that the answer has.
    ///
    /// - Returns: Whether it has one.
    @discardableResult
    private func follow() async -> Bool {
        let reply = await supervisor.ask(.cloudReport(cloud.report), patience: Self.patience)
        guard let plan = reply?.cloud else { return false }
        cloud.take(plan)
        return true
    }
}
