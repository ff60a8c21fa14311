import FleetClient
import FleetProtocol
import ProcessSupport

/// Asks the controller until a new fleet is ready, or its timeout has passed.
struct ReadinessProbe: Sendable {
    /// The interval between two queries.
    private static let interval: Duration = .milliseconds(50)

    let plan: FleetPlan
    let directory: RunDirectory
    let surroundings: Surroundings

    /// Asks until there is a result; nil if the task was cancelled.
    func run() async -> Supervision.Event? {
        do {
            return try await ControllerAccess(to: directory, in: surroundings).withClient(
                nil, reportsWait: false
            ) { client in
                let register = try directory.deviceRegister()
                return try await watch(
                    register.devices(among: plan.devices, seed: plan.seed), with: client)
            }
        } catch {
            return Task.isCancelled ? nil : .wasLate("\(error)")
        }
    }

    /// Asks until that number of devices has come up.
    private func watch(_ devices: Int, with client: FleetClient) async throws -> Supervision.Event {
        var readiness = Readiness(of: plan, devices: devices, at: surroundings.now().monotonic)
        var hasSessions = false
        while true {
            let seen = try await look(for: devices, with: client, &hasSessions)
            switch readiness.judge(seen, at: surroundings.now().monotonic) {
            case .ready: return .becameReady
            case .late(let text): return .wasLate(text)
            case .again(let text):
                if let text { surroundings.notify("fleet: \(text)") }
                try await surroundings.pause(Self.interval)
            }
        }
    }

    private func look(
        for devices: Int, with client: FleetClient, _ hasSessions: inout Bool
    ) async throws -> Readiness.Look {
        do {
            if !hasSessions { hasSessions = try await DemoSessions(directory: directory).renew(with: client) }
            guard hasSessions else { return .noSession }
            let report = try await client.status()
            let count = Int(report.online + report.disconnected)
            let isGatewayDue = plan.gatewayPort != nil && plan.gatewayBuild == nil
            if count >= devices, isGatewayDue, try directory.gatewayURL() == nil {
                return .noGateway
            }
            return .up(count)
        } catch FleetError.cancelled {
            throw CancellationError()
        } catch let error as FleetError {
            return .noReply(error.explanation)
        }
    }
}
