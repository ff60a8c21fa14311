import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import UserText

/// A second server that answers only the health probes, over HTTP and without a key.
///
/// Probes of schedulers have no keys, and check no certificate. The answers name no account and no device.
struct HealthServer: Service {
    private static let connectionsAtMost = 16

    let fleet: FleetLink
    let host: NetworkHost
    let port: UInt16
    let logger: Logger

    func run() async throws {
        let router = Router(context: GatewayContext.self, options: .autoGenerateHeadEndpoints)
        HealthRoutes(fleet: fleet).add(to: router, watched: router)
        let application = Application(
            router: router,
            server: .compressing(
                WebLimits.http1, OpenConnections(atMost: Self.connectionsAtMost, trusting: []),
                certificates: nil),
            configuration: ApplicationConfiguration(
                address: .hostname(host.name, port: Int(port)), serverName: nil,
                availableConnectionsDelegate: AcceptedConnections(
                    atMost: Self.connectionsAtMost + WebLimits.closingConnections)),
            logger: logger)
        do {
            try await application.run()
        } catch let error as IOError {
            throw GatewayError.cannotListen(
                Authority(host: host, port: port), why: String(cString: strerror(error.errnoCode)))
        }
    }
}
