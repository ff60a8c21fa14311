import ArgumentParser
import Bus
import FleetClient
import FleetProtocol
import Hummingbird
import HummingbirdTLS
import Logging
import NIOCore
import Runtime
import ServiceLifecycle
import Stepping
import UnixSignals

/// `gateway serve`: serves one fleet until it is asked to end.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves the fleet of one run directory until SIGINT or SIGTERM.",
        discussion: """
            It listens on this machine alone, unless --host says otherwise; then it wants a certificate, since \
            passwords and keys must not cross a network in the open.

            EXAMPLES
              gateway serve
              gateway serve --run-dir /tmp/lab --port 8080
              gateway serve --host 0.0.0.0 --tls-certificate chain.pem --tls-key key.pem
            """)

    @Option(
        help: ArgumentHelp(
            "The run directory; else $SENSIBUS_RUN_DIR, else the nearest .sensibus here or above.",
            valueName: "path"))
    var runDir: String?

    @Option(help: "The address to listen at.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen at; 0 is one that is free.")
    var port: UInt16 = 8_701

    @Flag(help: "Take a free port where that one is taken.")
    var orFreePort = false

    @Option(help: ArgumentHelp("The certificate and its chain, PEM; with --tls-key.", valueName: "file"))
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("The certificate's private key, PEM.", valueName: "file"))
    var tlsKey: String?

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
            try Self.end(saying: error.description, code: 69)
        } catch let error as BusError {
            try Self.end(saying: error.description, code: 70)
        } catch let error as FleetError {
            try Self.end(saying: error.description, code: 70)
        } catch let error as GatewayError {
            try Self.end(saying: error.description, code: 69)
        }
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
