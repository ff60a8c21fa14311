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

/// `gateway serve`: serves a fleet until a signal ends it.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve the fleet of a run directory until SIGINT or SIGTERM.",
        discussion: """
            By default the gateway listens on the loopback interface only. Any other --host needs a \
            certificate, because passwords and keys must not cross a network unencrypted. SIGHUP reloads \
            the certificate. The gateway accepts requests for the loopback names, the address that it \
            listens on, and each --public-name. On any other than the loopback interface, and behind a \
            trusted proxy, /metrics and /readyz need a key, except /readyz at --health-port.

            EXAMPLES
              gateway serve
              gateway serve --run-dir /tmp/lab --port 8080
              gateway serve --host 0.0.0.0 --public-name fleet.example.org \\
                --tls-certificate chain.pem --tls-key key.pem
              gateway serve --public-name fleet.example.org --trusted-proxy 127.0.0.1
            """)

    @OptionGroup var runDirectory: RunDirectoryOption

    @Option(help: "Port to listen on; 0 for any free one.") var port: UInt16 = 8_701

    @Flag(help: "Use the next free port if the port is taken.") var orFreePort = false

    @OptionGroup var reach: GatewayOptions

    @OptionGroup var memory: MemoryOptions

    @Option(help: ArgumentHelp("Exit when this process is no longer the parent.", visibility: .private))
    var supervisorPid: Int32?

    @Option(help: "Log level: \(Logs.levelNames).", transform: Logs.level(named:))
    var logLevel: Logger.Level = .info

    func validate() throws { try reach.check(port: port, of: "--port") }

    func run() async throws {
        Logs.bootstrap(process: "gateway", level: logLevel)
        do {
            try await Gateway(options: self).run()
        } catch let error as RuntimeError {
            let advice = if case .noFleet = error { ": \(ShellAdvice.noFleet)" } else { "" }
            try Self.end(printing: "\(error)" + advice, code: 69)
        } catch let error as GatewayError {
            try Self.end(printing: "\(error)", code: 69)
        } catch let error where error is BusError || error is FleetError {
            try Self.end(printing: "\(error)", code: 70)
        }
    }

    /// The reachability of the gateway. Requests through a proxy come from other machines.
    var exposure: Exposure {
        Exposure(
            isSecure: reach.isSecure, isLocal: reach.host.isLoopback && reach.trustedProxy.isEmpty,
            hosts: AllowedHosts(bound: reach.host.name, publicNames: reach.publicName.map(\.name)),
            trustedProxies: reach.trustedProxy)
    }

    static func end(printing text: String, code: Int32) throws -> Never {
        TextOutput.standardError.writeIgnoringErrors("gateway: \(text)\n")
        throw ExitCode(code)
    }
}

/// The ports that a gateway tries in order, until one is free.
struct PortChoice: Equatable, Sendable {
    /// The number of consecutive ports to try before any free port.
    static let neighbours = 100

    /// The ports; 0 stands for any free one.
    let ports: [Int]

    /// Selects the ports for the options of a gateway. The former port of this run directory's gateway comes
    /// first, because open pages and configured programs look for the gateway there. With `orNext`, the next
    /// free ports follow.
    init(_ port: UInt16, orNext: Bool, former: UInt16?) {
        guard port == 0 || orNext else {
            ports = [Int(port)]
            return
        }
        let next = port == 0 ? [] : Array(Int(port)..<min(Int(port) + Self.neighbours, Int(UInt16.max) + 1))
        ports = [former].compactMap { $0.map(Int.init) } + next.filter { $0 != former.map(Int.init) } + [0]
    }
}

enum GatewayError: Error, CustomStringConvertible {
    case cannotListen(Authority, why: String)
    /// The certificate or its key cannot be used; the reason in words.
    case badCertificate(String)
    /// There is a certificate, and the gateway was built without TLS.
    case builtWithoutTLS

    var description: String {
        switch self {
        case .cannotListen(let address, let why):
            """
            cannot listen on \(address): \(why). Choose another port: --port or --health-port of `gateway \
            serve`, --gateway-port of `fleet up`
            """
        case .badCertificate(let why):
            "cannot use the certificate or key: \(why). Check the files of --tls-certificate and --tls-key"
        case .builtWithoutTLS:
            "this gateway was built without TLS: build it with `make build`, or with `swift build --traits TLS`"
        }
    }
}
