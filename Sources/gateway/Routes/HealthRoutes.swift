import HTTPTypes
import Hummingbird

/// What supervisors ask.
struct HealthRoutes: Sendable {
    let fleet: FleetLink

    func add(to router: Router<GatewayContext>) {
        // It answers, so it lives.
        router.get("healthz") { _, _ in Answer.text("ok\n") }
        router.get("readyz") { _, _ in
            if let why = await fleet.whyNotReady {
                return Answer.text("not ready: \(why)\n", status: .serviceUnavailable)
            }
            return Answer.text("ok\n")
        }
    }
}
