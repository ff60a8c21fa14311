import Bus
import FleetClient
import FleetProtocol
import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ProcessSupport
import ServiceLifecycle
import UnixSignals
import UserText

/// The gateway process: a client of the controller and a web server, until one of them ends.
struct Gateway {
    let options: Serve
    /// The time of the fleet.
    var clock: @Sendable () -> Moment = {
        let clock = SystemClock()
        return { clock.now() }
    }()
    /// What runs beside the web server, and ends with it.
    var companions: [any Service] = []
    /// Records the requests of a test; nil to record none.
    var journal: RequestJournal?
    /// Handles the address once the web server listens.
    var announce: @Sendable (_ url: String) -> Void = { _ in }
    /// Cleans up when the process ends before its requests.
    var leave: @Sendable () -> Void = {}

    /// Serves until SIGINT or SIGTERM.
    func run() async throws {
        let directory = try FleetLink.directory(of: options.runDirectory)
        Logs.bound(directory.logFile(of: "gateway"))
        try await FleetLink.withFleet(of: directory, options.runDirectory, clock: clock) { fleet, client in
            let cloud = Cloud(clock: clock)
            let follower = try CloudFollower(of: cloud, in: directory, beside: client)
            await follower.begin()
            var gateway = self
            gateway.companions = [follower]
            let processes = FleetProcesses(supervisor: follower.supervisor)
            try await gateway.serve(
                fleet, cloud, IdempotencyKeys(in: directory, clock: clock), directory, processes)
        }
    }

    /// Whether the gateway was started by `fleet up`, which reads its address from the run directory.
    private var isSupervised: Bool { options.supervisorPid != nil }

    /// Serves a fleet until a signal, or the end of a companion.
    func serve(
        _ fleet: FleetLink, _ cloud: Cloud, _ keys: IdempotencyKeys, _ directory: RunDirectory,
        _ processes: FleetProcesses? = nil
    ) async throws {
        var ports = PortChoice(
            options.port, orNext: options.orFreePort, former: try formerPort(in: directory)
        )
        .ports
        let certificates = try certificates()
        while true {
            let port = ports.removeFirst()
            do {
                return try await serve(fleet, cloud, keys, directory, processes, port: port, certificates)
            } catch let error as IOError {
                guard let next = ports.first, error.errnoCode == EADDRINUSE else {
                    throw GatewayError.cannotListen(
                        Authority(host: options.reach.host, port: UInt16(port)),
                        why: String(cString: strerror(error.errnoCode)))
                }
                Logger(label: "gateway").notice(
                    "port taken", metadata: ["port": "\(port)", "next": next == 0 ? "any" : "\(next)"])
            }
        }
    }

    /// Returns the port of this gateway before it was killed, or at the last start of its fleet; nil if a
    /// fixed port is configured, and for a gateway that was started by hand.
    private func formerPort(in directory: RunDirectory) throws(RuntimeError) -> UInt16? {
        guard isSupervised else { return nil }
        if options.orFreePort { return try directory.gatewayPort() }
        return try options.port == 0 ? directory.gatewayURL().flatMap { GatewayURL($0) }?.port : nil
    }

    private func serve(
        _ fleet: FleetLink, _ cloud: Cloud, _ keys: IdempotencyKeys, _ directory: RunDirectory,
        _ processes: FleetProcesses?, port: Int, _ certificates: Certificates?
    ) async throws {
        let (logger, exposure) = (Logger(label: "gateway"), options.exposure)
        let connections = WebLimits.connections(
            descriptors: try DescriptorLimit.raise(needing: WebLimits.neededDescriptors))
        let log = RequestLog(logger: logger, trusting: exposure.trustedProxies, clock: clock)
        let web = WebServer(
            fleet: fleet, keys: keys, exposure: exposure, log: log, journal: journal,
            isLimited: options.reach.sensiboLimits, cloud: cloud, clock: clock)
        var signals: [UnixSignal] = [.sigint, .sigterm]
        if certificates == nil { signals.append(.sighup) }
        let leave = leave
        let shutdown = Shutdown(at: await UnixSignalsSequence(trapping: signals)) {
            leave()
            World.leave()
        }
        // The last service ends first: a client that listens to a stream would keep the server running.
        let waiting =
            ([
                Supervisor(
                    parent: ParentWatch(expectedParent: options.supervisorPid), directory: directory,
                    limit: options.memory.memoryLimit, loop: fleet.cells.own.loop),
                ReplicaService(fleet: fleet, directory: directory),
            ] + companions).map { ServiceOnceListening($0, until: shutdown) }
        let application = Application(
            router: web.router(processes),
            server: .compressing(
                WebLimits.http1, OpenConnections(atMost: connections, trusting: exposure.trustedProxies),
                certificates: certificates, answers: web.answers, log: log),
            configuration: ApplicationConfiguration(
                address: .hostname(options.reach.host.name, port: port), serverName: nil,
                backlog: connections,
                availableConnectionsDelegate: AcceptedConnections(
                    atMost: connections + WebLimits.closingConnections)),
            onServerRunning: { channel in
                let port = UInt16(channel.localAddress?.port ?? port)
                let url = "\(options.reach.url(port: port))/"
                let place = Authority(host: options.reach.host, port: port)
                logger.info(
                    "serving", metadata: ["at": "\(place)", "url": "\(url)", "runDir": "\(directory)"])
                recordAddress(url, port, in: directory, logger)
                announce(url)
                for service in waiting { service.begin() }
            },
            logger: quiet(logger))
        var services: [any Service] = [application] + waiting
        if let port = options.reach.healthPort {
            services.append(
                HealthServer(fleet: fleet, host: options.reach.host, port: port, logger: quiet(logger)))
        }
        if let certificates {
            services.append(CertificateReload(certificates: certificates, logger: logger))
        }
        try await ServiceGroup(services, until: shutdown, logger: quiet(logger)).run()
    }

    /// Records the process in the run directory, with its address if it is the supervised one.
    private func recordAddress(_ url: String, _ port: UInt16, in directory: RunDirectory, _ logger: Logger) {
        directory.recordService(
            of: "gateway", under: ParentWatch(expectedParent: options.supervisorPid), logger)
        guard isSupervised else { return }
        do {
            try directory.recordGateway(url: url)
            if options.orFreePort { try directory.recordGatewayPort(port) }
        } catch {
            logger.error("address not written to the run directory", metadata: ["error": "\(error)"])
        }
    }

    /// Returns a logger for libraries, with their messages from warnings on.
    private func quiet(_ logger: Logger) -> Logger {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .warning)
        return logger
    }

    private func certificates() throws(GatewayError) -> Certificates? {
        guard let chain = options.reach.tlsCertificate, let key = options.reach.tlsKey else { return nil }
        return try Certificates(chainFile: chain, keyFile: key)
    }

    /// Reloads the certificate at each SIGHUP; new connections use it.
    private struct CertificateReload: Service {
        let certificates: Certificates
        let logger: Logger

        func run() async throws {
            for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
                do throws(GatewayError) {
                    try certificates.reload()
                    logger.info("certificate reloaded")
                } catch {
                    logger.error(
                        "certificate not reloaded, previous one still in use",
                        metadata: ["error": "\(error)"])
                }
            }
        }
    }

    /// Runs the replicas, and ends all listeners at shutdown.
    private struct ReplicaService: Service {
        let fleet: FleetLink
        let directory: RunDirectory

        func run() async throws {
            await withTaskGroup { group in
                group.addTask { await fleet.replicas.run() }
                group.addTask { await fleet.warm(from: directory) }
                // It throws if another service has failed.
                if (try? await gracefulShutdown()) != nil { await fleet.replicas.end() }
                group.cancelAll()
            }
        }
    }

    /// Ends the gateway when the supervisor has ended, when the run directory is not at its path any more,
    /// and when the memory limit is exceeded.
    private struct Supervisor: Service {
        private static let interval: Duration = .seconds(1)

        let parent: ParentWatch
        let directory: RunDirectory
        let limit: MemoryLimit
        let loop: Loop

        func run() async throws {
            let (presence, feed) = AsyncThrowingStream.makeStream(of: Never.self)
            // Checked whenever the client's thread runs, which is several times a second.
            loop.perform { [parent, directory, limit, loop] in
                let memory = MemoryWatch(limit, on: loop) { feed.finish(throwing: $0) }
                do throws(RuntimeError) { try memory.begin() } catch { feed.finish(throwing: error) }
                let clock = SystemClock()
                var ownerCheck = OwnerCheck()
                loop.onTurn { now in
                    if parent.isOrphaned { feed.finish() }
                    guard ownerCheck.isDue(at: clock.now()) else { return now + Self.interval }
                    do throws(RuntimeError) { try directory.confirm() } catch { feed.finish(throwing: error) }
                    return now + Self.interval
                }
            }
            try await cancelWhenGracefulShutdown { for try await _ in presence {} }
        }
    }
}
