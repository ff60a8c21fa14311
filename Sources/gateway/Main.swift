import ArgumentParser
import FoundationEssentials
import Glibc
import ProcessSupport
import UserText

/// `gateway`: the fleet over HTTP, for browsers and for programs written for Sensibo's cloud.
@main
struct GatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Serve a fleet over HTTP: a web page and Sensibo's API.",
        discussion: """
            `fleet up` starts the gateway.

            EXAMPLES
              gateway serve
              gateway serve --run-dir /tmp/lab --port 8080
            """,
        version: ProgramVersion.text(of: "gateway"),
        subcommands: [Serve.self])

    /// On the main thread, where no others have begun.
    @MainActor static func main() async {
        do {
            try Hardening.apply(environment: World.environment)
            try Hardening.forbidNewPrivileges()
        } catch {
            exit(withError: error)
        }
        await main(nil)
    }
}

/// What the machine and whoever started the process give it.
enum World {
    /// The environment.
    static var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// Where the process was started.
    static var workingDirectory: String { FileManager.default.currentDirectoryPath }

    /// Waits.
    static func sleep(_ duration: Duration) async throws { try await Task.sleep(for: duration) }

    /// Ends the process at once, as one that has done what it was asked.
    static func leave() -> Never { exit(0) }

    /// Descriptors that the process may have open.
    static var descriptors: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// A number that nobody can guess.
    static func randomNumber() -> UInt64 { UInt64.random(in: 0 ... .max) }
}
