import FleetProtocol
import ServiceLifecycle

/// Follows the supervisor's plan of cloud faults by long polling, and reports requests that met faults.
///
/// The supervisor answers when the plan changes, or after ``CloudReport/longestHold``. The gateway does not
/// store the plan: a new process requests it before it serves. Without a supervisor no cloud faults apply.
struct CloudFollower: Service {
    /// The shortest time between two reports, except for reports that confirm a plan.
    private static let interval: Duration = .milliseconds(200)
    /// The time between two attempts to reach a supervisor that does not answer.
    private static let absence: Duration = .seconds(1)
    /// The longest wait for an answer that the supervisor does not hold back.
    private static let patience: Duration = .seconds(1)

    let cloud: Cloud
    /// The connection for long polling.
    let plans: SupervisorLink
    /// The connection for everything else.
    let supervisor: SupervisorLink

    /// Asks once, so that the first request finds it as it is.
    func begin() async {
        await follow(within: Self.patience)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await followPlans() }
                group.addTask { await reportMeetings() }
            }
        }
    }

    private func followPlans() async {
        while !Task.isCancelled {
            switch await follow(within: CloudReport.longestHold + Self.patience) {
            // A new plan is confirmed at once: the command that asked for it waits for that.
            case .plan: continue
            case .nothing: try? await World.sleep(Self.interval)
            case .silence: try? await World.sleep(Self.absence)
            }
        }
    }

    /// Reports requests that met faults.
    private func reportMeetings() async {
        for await _ in cloud.meetings {
            let reply = await supervisor.ask(.cloudReport(cloud.report), patience: Self.patience)
            if let plan = reply?.cloud { cloud.take(plan) }
            try? await World.sleep(Self.interval)
        }
    }

    private enum Answer {
        case plan, nothing, silence
    }

    /// Sends a report, and adopts the plan in its answer.
    @discardableResult
    private func follow(within patience: Duration) async -> Answer {
        guard let reply = await plans.ask(.cloudReport(cloud.report), patience: patience) else {
            return .silence
        }
        guard let plan = reply.cloud else { return .nothing }
        cloud.take(plan)
        return .plan
    }
}
