import ArgumentParser
import Glibc
import ProcessSupport
import UserText

/// `gateway`: a fleet over HTTP, for browsers and for clients of Sensibo's API.
@main
struct GatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Program.gateway.command,
        abstract: Program.gateway.abstract,
        discussion: """
            `fleet up` starts the gateway.

            EXAMPLES
              gateway serve
              gateway serve --run-dir /tmp/lab --port 8080
            """,
        version: ProgramVersion.text(of: "gateway"),
        subcommands: [Serve.self, TestServe.self, ExportPods.self])

    @MainActor static func main() async { await runHardened() }
}

enum World {
    static func sleep(_ duration: Duration) async throws { try await Task.sleep(for: duration) }
    static func leave() -> Never { exit(0) }

    static func randomNumber() -> UInt64 { UInt64.random(in: 0 ... .max) }
}
