import FleetClient
import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird
import NIOCore

/// What Prometheus is told.
struct MetricsRoutes: Sendable {
    /// How long the controller may take to say how it is, and for each account what its nodes have counted.
    private static let patience: Duration = .milliseconds(500)

    let fleet: FleetLink
    let processes: FleetProcesses
    let meter: RequestMeter
    let cloud: Cloud
    /// The latest measurement.
    let page: MetricsPage

    func add(to router: some RouterMethods<GatewayContext>) {
        router.get("metrics") { _, _ in
            let text = await page.text { await measured() }
            return Response(
                status: .ok, headers: [.contentType: MetricsText.contentType],
                body: ResponseBody(byteBuffer: text))
        }
    }

    private func measured() async -> ByteBuffer {
        var text = MetricsText()
        ProcessMetrics.write(await processes.measured(), to: &text)
        let mirrors = await fleet.mirrors.all
        if let mirror = mirrors.first,
            let report = try? await fleet.client.status(as: mirror.credentials, patience: Self.patience)
        {
            ProcessMetrics.write(report, to: &text)
        }
        await writeCounters(of: mirrors, to: &text)
        var accounts: [(name: String, metrics: FleetMetrics, replica: FleetMetrics.Summary, listeners: Int)] =
            []
        for mirror in mirrors { accounts.append(await mirror.measured) }
        FleetMetrics.write(accounts, to: &text)
        cloud.write(to: &text)
        meter.write(to: &text)
        return ByteBuffer(string: text.text)
    }

    /// Tells what controller and nodes have counted, as far as the controller answers: one that is silent is
    /// not asked for the next account.
    private func writeCounters(of mirrors: [FleetMirror], to text: inout MetricsText) async {
        var controller: CounterReport.Controller?
        var nodes: [NodeMetrics.Told] = []
        for mirror in mirrors {
            do throws(FleetError) {
                let report = try await fleet.client.counterReport(
                    as: await mirror.credentials, patience: Self.patience)
                controller = report.controller
                nodes += report.nodes.map { (account: mirror.account.name, node: $0) }
            } catch {
                // Whoever asked for that account first may have been removed since.
                guard case .refused = error else { break }
            }
        }
        if let controller { ProcessMetrics.write(controller, to: &text) }
        NodeMetrics.write(nodes, to: &text)
    }
}
