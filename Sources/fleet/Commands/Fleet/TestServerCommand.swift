import ArgumentParser
import FleetClient
import FleetProtocol
import Glibc
import ProcessSupport
import UserFiles
import UserText

struct TestServerCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-server", abstract: "Serve Sensibo's API from a fleet of its own, for a test run.",
        discussion: """
            Starts a fleet in a temporary directory, and prints one line when it is ready: the URL and a key \
            of Sensibo's API. The fleet stops, and its directory is removed, when the process that started \
            this one ends, however it ends; with --exit-with, when another one ends. So a test framework starts it as a \
            child, reads a line, and need not stop it.

            With --json the line is an object: url, key, runDir and pid.

            EXAMPLES
              fleet test-server --json
              fleet test-server --devices 3 --scenario quiet --seed 7
              fleet test-server --port 8702 --exit-with 1234
            """)

    static let deviceLimit = 10_000
    private static let key = "test"

    @Option(help: .value("count", "Number of devices: 1 to 10,000.")) var devices = 20
    @Option(help: "The random seed for names, IDs and events.") var seed: UInt64 = 1

    @Option(
        help: .value("name|file", "The scenario: \(ReadyMadeScenario.names); or a file (default: quiet)."),
        completion: .scenarios, transform: { try ScenarioChoice($0) })
    var scenario: ScenarioChoice?

    @Option(help: "Port to listen on; 0 for any free one.") var port: UInt16 = 0

    @OptionGroup var lifetime: LifetimeOption

    @OptionGroup var json: JSONOption

    func validate() throws {
        try require(
            (1...Self.deviceLimit).contains(devices),
            "--devices \(devices): expected 1 to \(Self.deviceLimit)")
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let companion = try companion
        try await TemporaryRunDirectory(purpose: "test", surroundings: surroundings).use { directory in
            let (readiness, ready) = AsyncStream.makeStream(of: Void.self)
            let supervisor = Supervisor(
                plan: plan, directory: directory, display: .none, surroundings: surroundings,
                companion: companion, isTemporary: true, announce: { _ in ready.yield() })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    defer { ready.finish() }
                    try await supervisor.run()
                }
                for await _ in readiness { try await announce(directory, in: surroundings) }
                try await group.waitForAll()
            }
        }
        return .done
    }

    /// The process with which the fleet ends. Nil for the first process of a container: the container ends
    /// with it.
    private var companion: Int32? {
        get throws(CommandFailure) {
            if let processID = lifetime.processID { return processID }
            guard StartingProcess.id != 1 else {
                throw CommandFailure(
                    .refused, "the process that started this one has ended, or is process 1",
                    advice: "name the process with which to stop: --exit-with")
            }
            return StartingProcess.id == 0 ? nil : StartingProcess.id
        }
    }

    private var plan: FleetPlan {
        FleetPlan(
            devices: devices, nodes: 1, seed: seed,
            scenario: scenario?.argument ?? ReadyMadeScenario.quiet.rawValue, restartsNodes: nil,
            hasCrashes: scenario?.hasCrashes ?? false, gatewayPort: .fixed(port),
            cloudDay: scenario?.cloudDay ?? CloudDay())
    }

    /// Prints the line that says where the API is; if it cannot be printed, the fleet ends.
    private func announce(_ directory: RunDirectory, in surroundings: Surroundings) async throws {
        do {
            let key = try await addKey(to: ControllerAccess(to: directory, in: surroundings))
            let url = try directory.gatewayURL().map { String($0.dropLast()) }
            let object: JSONObject = [
                "url": url, "key": key, "runDir": directory.path, "pid": surroundings.processID,
            ]
            let text = "Sensibo's API: \(url ?? "")/api/v2, key \(key), files in \(directory)"
            try surroundings.print(json.isWanted ? object.line : text)
        } catch {
            _ = try await SupervisorAccess(directory: directory).ask(.endFleet)
            throw error
        }
    }

    private func addKey(to access: ControllerAccess) async throws -> String {
        let secret = Secret(in: access.cell)
        let name = try APIKey.Name(Self.key).orInvalid("\(Self.key) names a key")
        _ = try await access.withSession { try await $0.addKey(name, digest: secret.digest, scope: .switch) }
        return secret.text
    }
}
