import ArgumentParser
import FleetProtocol
import Wording

/// `fleet restart`: ends a process, if it lives, and starts it again.
struct RestartCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart",
        abstract: "Restart one process of the fleet, or start one that died.",
        discussion: """
            Returns when the process runs. `fleet status` lists the names.

            EXAMPLES
              fleet restart node-1
              fleet restart controller
            """)

    /// SIGKILL comes after 2 s; the start takes the rest.
    private static let patience: Duration = .seconds(5)

    @Argument(help: "controller, node-1, node-2, …")
    var name: String

    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let directory = try surroundings.runDirectory(runDirectory)
        let supervisor = SupervisorAccess(directory: directory)
        guard let reply = try await supervisor.ask(.restart(name), patience: Self.patience) else {
            throw supervisor.silence
        }
        if let failure = reply.failure {
            let isThere = reply.processes.contains { $0.name == name }
            throw CommandFailure(
                isThere ? .refused : .usage,
                "\(SafeText.of(name)) was not restarted: \(SafeText.of(failure))",
                advice: "`fleet status` shows what runs")
        }
        let pid = reply.processes.first { $0.name == name }?.processID
        surroundings.print("\(name) runs" + (pid.map { ", pid \($0)" } ?? ""))
        return .done
    }
}
