import FleetClient
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOHTTPTypesHTTP1
import NIOSSL
import Stepping
import Synchronization

/// All that is served.
enum WebServer {
    /// The routes over a fleet.
    ///
    /// - Parameters:
    ///   - processes: What else there is to be measured.
    ///   - keys: The requests that clients of Sensibo's API have named.
    ///   - exposure: Who can reach it, and by which names.
    ///   - isLimited: Whether Sensibo's API turns away who asks too often.
    ///   - cloud: What goes wrong with Sensibo's API, and with nothing else.
    ///   - clock: Tells the time.
    static func router(
        fleet: FleetLink, processes: FleetProcesses, keys: KeyBook, exposure: Exposure, isLimited: Bool,
        cloud: Cloud,
        clock: @escaping @Sendable () -> Moment
    ) -> Router<GatewayContext> {
        let router = Router(context: GatewayContext.self, options: .autoGenerateHeadEndpoints)
        let access = Access(client: fleet.client, mirrors: fleet.mirrors)
        let sources = LoginSources(trusting: exposure.trustedProxies, isSecure: exposure.isSecure)
        let page = PageAccess(access: access, isSecure: exposure.isSecure, sources: sources)
        let meter = RequestMeter(clock: clock)
        router.add(middleware: meter)
        router.add(middleware: SecurityHeaders(isSecure: exposure.isSecure))
        router.add(middleware: OwnOrigin(hosts: exposure.hosts))
        router.add(middleware: CrossOrigin())
        let watched = router.group()
        if !exposure.isLocal { watched.add(middleware: KeyNeeded(keys: KeyAccess(access: access))) }
        HealthRoutes(fleet: fleet).add(to: router, watched: watched)
        MetricsRoutes(
            fleet: fleet, processes: processes, meter: meter, cloud: cloud, page: MetricsPage(clock: clock)
        ).add(to: watched)
        PageFiles().add(to: router)
        SessionRoutes(page: page, client: fleet.client).add(to: router)
        WayInRoutes(page: page, client: fleet.client).add(to: router)
        DeviceRoutes(page: page, client: fleet.client).add(to: router)
        LiveRoutes(page: page, clock: clock).add(to: router)
        let door = Door(
            access: access, client: fleet.client, isLimited: isLimited, cloud: cloud, keys: keys,
            clock: clock)
        DoorRoutes(door: door, sources: sources).add(to: router)
        PropertyRoutes(
            access: AnyAccess(keys: KeyAccess(access: access), page: page), client: fleet.client
        ).add(to: router)
        LogbookRoutes(door: door, page: page, client: fleet.client).add(to: router)
        addDesk(page, client: fleet.client, clock: clock, to: router.group("page"))
        addDesk(KeyAccess(access: access), client: fleet.client, clock: clock, to: router)
        return router
    }

    /// What stands around the list of devices: the same for the page and for programs, which come in by doors
    /// of their own.
    private static func addDesk(
        _ access: any DeskAccess, client: FleetClient, clock: @escaping @Sendable () -> Moment,
        to router: some RouterMethods<GatewayContext>
    ) {
        SiteRoutes(access: access, client: client).add(to: router)
        SequenceRoutes(access: access, client: client).add(to: router)
        RosterRoutes(access: access, client: client, clock: clock).add(to: router)
    }
}

/// A connection over TLS, with the certificate that holds when it opens.
struct SecureChannel<Plain: ServerChildChannel>: ServerChildChannel {
    let plain: Plain
    let certificates: Certificates

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Plain.Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
                NIOSSLServerHandler(context: certificates.context))
        }.flatMap {
            plain.setup(channel: channel, logger: logger)
        }
    }

    func handle(value: Plain.Value, logger: Logger) async {
        await plain.handle(value: value, logger: logger)
    }
}

/// The certificate and its key, as their files had them last.
final class Certificates: Sendable {
    private let chainFile: String
    private let keyFile: String
    private let current: Mutex<NIOSSLContext>

    /// Reads both files, PEM.
    ///
    /// - Throws: `badCertificate`.
    init(chainFile: String, keyFile: String) throws(GatewayError) {
        self.chainFile = chainFile
        self.keyFile = keyFile
        current = Mutex(try Self.read(chainFile, keyFile))
    }

    /// What the next connection is made with.
    var context: NIOSSLContext { current.withLock { $0 } }

    /// Reads both files again; where they cannot be used, what they had before holds on.
    ///
    /// - Throws: `badCertificate`.
    func reload() throws(GatewayError) {
        let context = try Self.read(chainFile, keyFile)
        current.withLock { $0 = context }
    }

    private static func read(_ chainFile: String, _ keyFile: String) throws(GatewayError) -> NIOSSLContext {
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(chainFile).map(NIOSSLCertificateSource.certificate)
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain,
                privateKey: .privateKey(try NIOSSLPrivateKey(file: keyFile, format: .pem)))
            tls.minimumTLSVersion = .tlsv12
            return try NIOSSLContext(configuration: tls)
        } catch {
            throw .badCertificate("\(error)")
        }
    }
}

/// HTTP/1 whose requests come whole and whose answers are read, and that compresses what says
/// `Vary: Accept-Encoding`, for whoever takes it so.
struct CompressingChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    /// Bytes from which on a body is smaller on the wire when it is compressed, packets counted.
    static let worthwhileBytes = 1_024

    let plain: HTTP1Channel
    let connections: OpenConnections

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let place = connections.open(channel)
        return plain.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            let compressor = HTTPResponseCompressor(responseCompressionPredicate: Self.intent)
            try pipeline.addHandler(compressor, position: .before(codec))
            try pipeline.addHandler(UnaskedAnswers(past: compressor), position: .after(compressor))
            let requests = WholeRequests(at: place)
            try pipeline.addHandler(requests, position: .after(codec))
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(ArrivingBytes(of: requests), position: .before(decoder))
            try pipeline.addHandler(UnreadAnswers(), position: .first)
            if place == nil { OpenConnections.end(channel) }
            return value
        }
    }

    func handle(value: Value, logger: Logger) async {
        await plain.handle(value: value, logger: logger)
    }

    private static func intent(
        _ head: inout HTTPResponseHead, isSupported: Bool
    ) -> HTTPResponseCompressor.CompressionIntent {
        head.headers[canonicalForm: "Vary"].contains { $0.lowercased() == "accept-encoding" }
            ? .compressIfPossible : .doNotCompress
    }
}

extension HTTPServerBuilder {
    /// HTTP/1 whose answers may be compressed, over TLS where there is a certificate.
    static func compressing(
        _ configuration: HTTP1Channel.Configuration, _ connections: OpenConnections,
        certificates: Certificates?
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            let plain = CompressingChannel(
                plain: HTTP1Channel(responder: responder, configuration: configuration),
                connections: connections)
            guard let certificates else { return plain }
            return SecureChannel(plain: plain, certificates: certificates)
        }
    }
}

/// What a request brings besides itself.
struct GatewayContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of whoever is at the other end; nil where the system does not say.
    let address: String?
    /// Whose request it is, where ``KeyNeeded`` has found out.
    var visitor: Access.Visitor?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        address = source.channel.remoteAddress?.ipAddress
    }
}
