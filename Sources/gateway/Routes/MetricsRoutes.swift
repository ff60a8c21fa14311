import FleetClient
import GatewayCore
import HTTPTypes
import Hummingbird
import NIOCore

/// What Prometheus is told.
struct MetricsRoutes: Sendable {
    /// How long the controller may take to say how it is.
    private static let patience: Duration = .milliseconds(500)

    let fleet: FleetLink
    let processes: FleetProcesses
    let meter: RequestMeter

    func add(to router: Router<GatewayContext>) {
        router.get("metrics") { _, _ in await answer() }
    }

    private func answer() async -> Response {
        var text = MetricsText()
        ProcessMetrics.write(await processes.measured(), to: &text)
        let mirrors = await fleet.mirrors.all
        if let mirror = mirrors.first,
            let report = try? await fleet.client.status(as: mirror.credentials, patience: Self.patience)
        {
            ProcessMetrics.write(report, to: &text)
        }
        var accounts: [(name: String, metrics: FleetMetrics, replica: FleetMetrics.Summary, listeners: Int)] =
            []
        for mirror in mirrors { accounts.append(await mirror.measured) }
        FleetMetrics.write(accounts, to: &text)
        meter.write(to: &text)
        return Response(
            status: .ok, headers: [.contentType: MetricsText.contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text.text)))
    }
}
