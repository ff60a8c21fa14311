import ArgumentParser
import Bus
import FleetClient
import GatewayCore
import Hummingbird
import Logging
import NIOCore
import ProcessSupport
import ServiceLifecycle
import UnixSignals
import UserText

/// `gateway serve`: serves one fleet until it is asked to end.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves the fleet of one run directory until SIGINT or SIGTERM.",
        discussion: """
            It listens on this machine alone, unless --host says otherwise; then it wants a certificate, \
            since passwords and keys must not cross a network in the open. SIGHUP has it read the certificate \
            again. Requests are answered under the names of this machine, the address that it listens \
            at, and each --public-name. Anywhere but on this machine alone, /metrics and /readyz need a key.

            EXAMPLES
              gateway serve
              gateway serve --run-dir /tmp/lab --port 8080
              gateway serve --host 0.0.0.0 --public-name fleet.example.org \\
                --tls-certificate chain.pem --tls-key key.pem
              gateway serve --public-name fleet.example.org --trusted-proxy 127.0.0.1
            """)

    @Option(
        help: ArgumentHelp(
            "The run directory; else $SENSIBUS_RUN_DIR, else the nearest .sensibus here or above.",
            valueName: "path"))
    var runDir: String?

    @Option(help: "The address to listen at.") var host = "127.0.0.1"

    @Option(help: "The port to listen at; 0 for any free one.") var port: UInt16 = 8_701

    @Flag(help: "Take the next free port where that one is taken.") var orFreePort = false

    @Option(help: ArgumentHelp("The certificate and its chain, PEM; with --tls-key.", valueName: "file"))
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("The certificate's private key, PEM.", valueName: "file")) var tlsKey: String?

    @Option(
        help: ArgumentHelp(
            "A name by which browsers and programs ask for it; may be given more than once.",
            valueName: "name"))
    var publicName: [String] = []

    @Option(
        help: ArgumentHelp(
            "An address or network whose X-Forwarded-For is believed; may be given more than once.",
            valueName: "address"),
        transform: Serve.network)
    var trustedProxy: [IPNetwork] = []

    @Flag(help: "Turn away who asks Sensibo's API more often than Sensibo lets one.")
    var sensiboLimits = false

    @Option(help: ArgumentHelp("End when this process is no longer the parent.", visibility: .private))
    var supervisorPid: Int32?

    @Option(help: "What to log: \(Logs.levelNames).", transform: Logs.level(named:))
    var logLevel: Logger.Level = .info

    func validate() throws {
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-certificate and --tls-key go together: give both")
        }
        guard tlsCertificate != nil || Self.isLoopback(host) else {
            throw ValidationError(
                "\(host) is not this machine alone: give --tls-certificate and --tls-key, or leave --host out"
            )
        }
    }

    func run() async throws {
        Logs.bootstrap(process: "gateway", level: logLevel)
        do {
            try await Gateway(options: self).run()
        } catch let error as RuntimeError {
            let advice = if case .noFleet = error { ": \(ShellAdvice.noFleet)" } else { "" }
            try Self.end(saying: "\(error)" + advice, code: 69)
        } catch let error as GatewayError {
            try Self.end(saying: "\(error)", code: 69)
        } catch let error where error is BusError || error is FleetError {
            try Self.end(saying: "\(error)", code: 70)
        }
    }

    /// Who can reach it, and by which names.
    ///
    /// Requests through a proxy come from other machines.
    var exposure: Exposure {
        Exposure(
            isSecure: tlsCertificate != nil, isLocal: Self.isLoopback(host) && trustedProxy.isEmpty,
            hosts: AllowedHosts(bound: host, publicNames: publicName), trustedProxies: trustedProxy)
    }

    private static func network(_ text: String) throws -> IPNetwork {
        guard let network = IPNetwork(text) else {
            throw ValidationError(
                "\(text) cannot be read as an address or network: write 10.0.0.1 or 10.0.0.0/8")
        }
        return network
    }

    /// Whether nobody but this machine reaches an address.
    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1"
            || (host.hasPrefix("127.") && host.split(separator: ".").count == 4)
    }

    private static func end(saying words: String, code: Int32) throws -> Never {
        TextOutput.standardError.say("gateway: \(words)\n")
        throw ExitCode(code)
    }
}

/// The ports that a gateway tries, in this order, until one of them is free.
struct PortChoice: Equatable, Sendable {
    /// Ports from the first one on that are tried before any free port is taken.
    static let neighbours = 100

    /// The ports; 0 stands for any free one.
    let ports: [Int]

    /// The ports for the options of a gateway.
    ///
    /// - Parameters:
    ///   - port: The wanted port, or 0 for any free one.
    ///   - orNext: Whether the next free port will do where the wanted one is taken.
    ///   - former: The port that the gateway of this run directory chose last; it comes first, since open
    ///     pages and configured programs look for the gateway there. Nil where none did.
    init(_ port: UInt16, orNext: Bool, former: UInt16?) {
        guard port == 0 || orNext else {
            ports = [Int(port)]
            return
        }
        let next = port == 0 ? [] : Array(Int(port)..<min(Int(port) + Self.neighbours, Int(UInt16.max) + 1))
        ports = [former].compactMap { $0.map(Int.init) } + next.filter { $0 != former.map(Int.init) } + [0]
    }
}

/// Why the gateway cannot serve.
enum GatewayError: Error, CustomStringConvertible {
    /// It cannot listen there; why, in words.
    case cannotListen(String, why: String)
    /// The certificate or its key cannot be used; why, in words.
    case badCertificate(String)

    var description: String {
        switch self {
        case .cannotListen(let address, let why):
            """
            cannot listen at \(address): \(why). Choose another port, or 0 for any free one: --port of `gateway \
            serve`, --gateway-port of `fleet up`
            """
        case .badCertificate(let why):
            "certificate or key unusable: \(why). Check the files of --tls-certificate and --tls-key"
        }
    }
}

/// Runs a service from the moment at which the gateway listens, and not at all if it never does.
///
/// A service that ran before would be ended with each port that is taken, and could not be run again.
struct ServiceOnceListening: Service {
    private let service: any Service
    private let listening: AsyncStream<Void>
    private let feed: AsyncStream<Void>.Continuation

    /// A service that waits for ``begin()``.
    init(_ service: any Service) {
        self.service = service
        (listening, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    /// Runs the service: the gateway listens.
    func begin() {
        feed.yield()
        feed.finish()
    }

    func run() async throws {
        for await _ in listening.cancelOnGracefulShutdown() { return try await service.run() }
    }
}
