import ArgumentParser
import FleetClient
import FleetProtocol
import Runtime
import Wording

/// `fleet status`: what runs, and how it does.
struct StatusCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what runs: devices online, toggles a second, scenario, page, account, processes.",
        discussion: """
            Exits with 69 when no controller is there; the processes are shown all \
            the same.

            EXAMPLES
              fleet status
              fleet status --json | jq .online
              fleet status --pid controller
            """)

    @Option(
        name: .customLong("pid"),
        help: ArgumentHelp("Print only the process ID of this process, such as node-1.", valueName: "process")
    )
    var process: String?

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        if let process {
            surroundings.print(String(try await processID(of: process, in: surroundings)))
            return .done
        }
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let reply = try await SupervisorAccess(directory: access.directory).ask(.processes)
        let processes = reply?.processes
        let failure: CommandFailure?
        let report: StatusReport?
        do {
            // A controller that died is back within two seconds; without a supervisor nobody starts it again.
            let patience: Duration = processes == nil ? .milliseconds(500) : .seconds(2)
            report = try await access.withSession { try await $0.status(patience: patience) }
            failure = nil
        } catch let error as CommandFailure {
            (report, failure) = (nil, error)
        } catch let error as FleetError {
            (report, failure) = (nil, CommandFailure(error))
        } catch let error as RuntimeError {
            (report, failure) = (nil, CommandFailure(error))
        }
        let hasGateway = processes?.contains { $0.name == "gateway" } ?? false
        let summary = StatusSummary(
            report: report, processes: processes, fleet: reply?.fleet,
            place: FleetPlace(of: access.directory, hasGateway: hasGateway),
            silentSupervisor: reply == nil
                ? LockTable.holder(of: access.directory.lockFile(for: "supervisor")) : nil)
        for line in json.isWanted ? [summary.json.line] : summary.lines { surroundings.print(line) }
        if let failure { throw failure }
        return .done
    }

    /// Returns the ID of a process that the supervisor runs.
    private func processID(of name: String, in surroundings: Surroundings) async throws -> Int32 {
        let supervisor = SupervisorAccess(directory: try surroundings.runDirectory(runDirectory))
        guard let reply = try await supervisor.ask(.processes) else { throw supervisor.silence }
        guard let process = reply.processes.first(where: { $0.name == name }) else {
            let names = reply.processes.map(\.name).joined(separator: ", ")
            throw CommandFailure(.usage, "no process \"\(SafeText.of(name))\"", advice: "there are \(names)")
        }
        guard let processID = process.processID else {
            throw CommandFailure(
                .absent, "\(name) does not run: it is \(process.state.name)",
                advice: "`fleet restart \(name)` starts it")
        }
        return processID
    }
}
