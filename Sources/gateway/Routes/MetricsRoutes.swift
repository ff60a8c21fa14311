import FleetClient
import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird
import NIOCore

/// The metrics in Prometheus' format: of a visitor's own account, and where no key is needed of all accounts.
struct MetricsRoutes: Sendable {
    /// How long the controller may take to say how it is, and for each account what its nodes have counted.
    private static let patience: Duration = .milliseconds(500)

    let fleet: FleetLink
    let processes: FleetProcesses
    let meter: RequestMeter
    let cloud: Cloud
    /// The latest measurement.
    let page: MetricsPage<FleetMeasurement>

    func add(to router: some RouterMethods<GatewayContext>) {
        router.get("metrics") { _, context in
            let text = await page.text(
                for: context.visitor?.session.account, measuring: { await measured() }, writing: written)
            return Response(
                status: .ok, headers: [.contentType: MetricsText.contentType],
                body: ResponseBody(byteBuffer: text))
        }
    }

    /// The text for one account, or for nil of all.
    private func written(_ measurement: FleetMeasurement, for account: AccountID?) -> ByteBuffer {
        var text = MetricsText()
        (account.map(measurement.narrowed) ?? measurement).write(to: &text)
        cloud.write(to: &text)
        meter.write(to: &text)
        return ByteBuffer(string: text.text)
    }

    private func measured() async -> FleetMeasurement {
        var measurement = FleetMeasurement()
        measurement.processes = await processes.measured()
        let mirrors = await fleet.mirrors.all
        if let mirror = mirrors.first {
            measurement.status = try? await fleet.client.status(
                as: mirror.credentials, patience: Self.patience)
        }
        await count(mirrors, in: &measurement)
        for mirror in mirrors { measurement.accounts.append(await mirror.measured) }
        return measurement
    }

    /// Notes what controller and nodes have counted, as far as the controller answers: one that is silent is
    /// not asked for the next account.
    private func count(_ mirrors: [FleetMirror], in measurement: inout FleetMeasurement) async {
        for mirror in mirrors {
            do throws(FleetError) {
                let report = try await fleet.client.counterReport(
                    as: await mirror.credentials, patience: Self.patience)
                measurement.controller = report.controller
                measurement.nodes += report.nodes.map { (account: mirror.account.name, node: $0) }
            } catch {
                // Whoever asked for that account first may have been removed since.
                guard case .refused = error else { break }
            }
        }
    }
}
