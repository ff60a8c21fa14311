import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet sequence show`: tells how one stands.
struct SequenceShowCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Tell how a sequence and each of its commands stand.",
        discussion: """
            EXAMPLES
              fleet sequence show 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
              fleet sequence show 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07 --json | jq -r '.list[].state'
            """)

    @OptionGroup var options: SequenceOptions

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let id = options.id
        let access = try ControllerAccess(options.runDirectory, in: surroundings)
        let (report, names) = try await access.aboutSequence(id) { client in
            let report = try await client.sequence(id)
            let directory = DeviceDirectory(try await client.devices())
            return (report, SequenceNames(report.plan, in: directory))
        }
        let lines = options.json.isWanted ? [report.json.line] : report.lines(names)
        for line in lines { surroundings.print(line) }
        return .done
    }
}
