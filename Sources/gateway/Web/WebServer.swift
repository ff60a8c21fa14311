import FleetClient
import FleetProtocol
import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOHTTPTypesHTTP1
import ServiceLifecycle
import UserText

struct WebServer {
    private let fleet: FleetLink
    private let exposure: Exposure
    private let log: RequestLog
    private let journal: RequestJournal?
    private let meter: RequestMeter
    private let rules: RequestRules
    private let door: SensiboAPI

    init(
        fleet: FleetLink, keys: IdempotencyKeys, exposure: Exposure, log: RequestLog,
        journal: RequestJournal?, isLimited: Bool, cloud: Cloud, clock: @escaping @Sendable () -> Moment
    ) {
        (self.fleet, self.exposure, self.log, self.journal) = (fleet, exposure, log, journal)
        meter = RequestMeter(clock: clock)
        rules = RequestRules(isSecure: exposure.isSecure, hosts: exposure.hosts)
        let access = Access(cells: fleet.cells, replicas: fleet.replicas)
        // A limit and a journal count each request.
        let isCounted = isLimited || journal != nil
        door = SensiboAPI(
            access: access, cells: fleet.cells, isLimited: isLimited, cloud: cloud, keys: keys,
            kept: isCounted ? nil : KeptResponses(for: access, under: cloud, meter), clock: clock)
    }

    /// What connections answer themselves; nil if they answer nothing.
    var answers: DirectAnswers? {
        door.kept.map { DirectAnswers(door, keeping: $0, under: rules, log) }
    }

    func router(_ processes: FleetProcesses?) -> Router<GatewayContext> {
        let router = Router(context: GatewayContext.self, options: .autoGenerateHeadEndpoints)
        let (access, cloud, clock) = (door.access, door.cloud, door.clock)
        let sources = LoginSources(trusting: exposure.trustedProxies, isSecure: exposure.isSecure)
        let page = PageAccess(access: access, isSecure: exposure.isSecure, sources: sources)
        router.add(middleware: meter)
        router.add(middleware: log)
        if let journal { router.add(middleware: journal) }
        router.add(middleware: rules)
        let watched = router.group()
        if !exposure.isLocal { watched.add(middleware: KeyNeeded(keys: KeyAccess(access: access))) }
        HealthRoutes(fleet: fleet).add(to: router, watched: watched)
        MetricsRoutes(
            fleet: fleet, processes: processes, meter: meter, cloud: cloud, page: MetricsPage(clock: clock)
        ).add(to: watched)
        PageFiles().add(to: router)
        SessionRoutes(page: page, cells: fleet.cells).add(to: router)
        SelfServiceRoutes(page: page, cells: fleet.cells).add(to: router)
        DeviceRoutes(page: page).add(to: router)
        LiveRoutes(page: page, clock: clock).add(to: router)
        SensiboRoutes(door: door, sources: sources).add(to: router)
        LogbookRoutes(door: door).add(to: router)
        let programs = KeyAccess(access: access)
        let services = ServiceRouter.services(clock: clock)
        ServiceRouter.add(services, for: programs, to: router.group())
        ServiceRouter.add(services + [PageLogbookRoutes()], for: page, to: router.group("page"))
        ServiceRouter.add([PropertyRoutes()], for: AnyAccess(keys: programs, page: page), to: router.group())
        return router
    }
}

/// An HTTP/1 channel that delivers complete requests, closes connections whose peers do not read, and
/// compresses answers with the header `Vary: Accept-Encoding` for clients that accept an encoding.
struct CompressingChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    /// The size in bytes from which compression reduces the number of packets of a body.
    static let worthwhileBytes = 1_024

    let plain: HTTP1Channel
    let connections: OpenConnections
    var answers: DirectAnswers?
    var log: RequestLog?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let place = connections.open(channel)
        return plain.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            let address = channel.remoteAddress?.ipAddress
            let compressor = HTTPResponseCompressor(responseCompressionPredicate: Self.intent)
            try pipeline.addHandler(compressor, position: .before(codec))
            try pipeline.addHandler(
                UnsolicitedResponses(
                    past: compressor, logging: { [log] in log?.log(nil, $0, from: address) }),
                position: .after(compressor))
            try pipeline.addHandler(OneHost(), position: .before(codec))
            let requests = WholeRequests(at: place) { [log] in log?.log($0, $1, from: address) }
            try pipeline.addHandler(requests, position: .after(codec))
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(ArrivingBytes(of: requests), position: .before(decoder))
            try pipeline.addHandler(UnreadResponses(), position: .first)
            if let answers {
                let state = try pipeline.handler(type: HTTPConnectionStateHandler.self)
                try pipeline.addHandler(ConnectionAnswers(answers), position: .after(state))
            }
            if place == nil { OpenConnections.end(channel) }
            return value
        }
    }

    func handle(value: Value, logger: Logger) async { await plain.handle(value: value, logger: logger) }

    private static func intent(
        _ head: inout HTTPResponseHead, isSupported: Bool
    ) -> HTTPResponseCompressor.CompressionIntent {
        head.headers[canonicalForm: "Vary"].contains { $0.lowercased() == "accept-encoding" }
            ? .compressIfPossible : .doNotCompress
    }
}

extension HTTPServerBuilder {
    /// Returns an HTTP/1 server with compression, over TLS if there are certificates.
    static func compressing(
        _ configuration: HTTP1Channel.Configuration, _ connections: OpenConnections,
        certificates: Certificates?, answers: DirectAnswers? = nil, log: RequestLog? = nil
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            let plain = CompressingChannel(
                plain: HTTP1Channel(responder: responder, configuration: configuration),
                connections: connections, answers: answers, log: log)
            guard let certificates else { return plain }
            return SecureChannel(plain: plain, certificates: certificates)
        }
    }
}

/// The rest of the handlers of a request, which a middleware calls.
typealias Next = @concurrent (Request, GatewayContext) async throws -> Response

/// The context of a request: the peer's address and the authenticated caller.
struct GatewayContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The IP address of the peer; nil if the system does not report it.
    let address: String?
    let channel: any Channel
    /// The caller who sends the request, if ``KeyNeeded`` has authenticated it.
    var caller: Access.Caller?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        (channel, address) = (source.channel, source.channel.remoteAddress?.ipAddress)
    }
}

/// A server beside that of the page and of Sensibo's API, with a port of its own and without TLS.
struct SecondServer {
    let host: NetworkHost
    let port: UInt16
    /// The most connections; further ones wait.
    let connections: Int
    let logger: Logger

    /// Serves until the graceful shutdown; `listening` is called with the port once it listens.
    func run(
        _ router: Router<GatewayContext>, listening: @escaping @Sendable (UInt16) async -> Void = { _ in }
    ) async throws {
        let application = Application(
            router: router,
            server: .compressing(
                WebLimits.http1, OpenConnections(atMost: connections, trusting: []), certificates: nil),
            configuration: ApplicationConfiguration(
                address: .hostname(host.name, port: Int(port)), serverName: nil,
                availableConnectionsDelegate: AcceptedConnections(
                    atMost: connections + WebLimits.closingConnections)),
            onServerRunning: { channel in
                await listening(UInt16(channel.localAddress?.port ?? Int(port)))
            },
            logger: logger)
        do {
            try await application.run()
        } catch let error as IOError {
            throw GatewayError.cannotListen(
                Authority(host: host, port: port), why: String(cString: strerror(error.errnoCode)))
        }
    }
}

/// A second server that answers only the health probes, over HTTP and without a key. Probes of schedulers
/// have no keys, and check no certificate. The answers name no account and no device.
struct HealthServer: Service {
    private static let connectionsAtMost = 16

    let fleet: FleetLink
    let host: NetworkHost
    let port: UInt16
    let logger: Logger

    func run() async throws {
        let router = Router(context: GatewayContext.self, options: .autoGenerateHeadEndpoints)
        HealthRoutes(fleet: fleet).add(to: router, watched: router)
        try await SecondServer(host: host, port: port, connections: Self.connectionsAtMost, logger: logger)
            .run(router)
    }
}
