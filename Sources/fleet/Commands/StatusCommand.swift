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
            """)

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
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
}
