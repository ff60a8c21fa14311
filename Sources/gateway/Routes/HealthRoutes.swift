import HTTPTypes
import Hummingbird

/// What supervisors ask.
struct HealthRoutes: Sendable {
    let fleet: FleetLink

    /// Adds the liveness probe, and to the watched routes the readiness probe.
    func add(to router: some RouterMethods<GatewayContext>, watched: some RouterMethods<GatewayContext>) {
        // It answers, so it lives.
        router.get("healthz") { _, _ in Answer.text("ok\n") }
        watched.get("readyz") { _, _ in
            if let why = await fleet.whyNotReady {
                return Answer.text("not ready: \(why)\n", status: .serviceUnavailable)
            }
            return Answer.text("ok\n")
        }
    }
}
