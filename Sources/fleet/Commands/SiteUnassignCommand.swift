import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet site unassign`: has devices stand where their nodes say.
struct SiteUnassignCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "unassign",
        abstract: "Have devices stand where their nodes say.",
        discussion: """
            EXAMPLES
              fleet site unassign "Bedroom 7"
              fleet site unassign all
            """)

    @Argument(help: .devices)
    var devices: [String]

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let count = try await access.withSession { client in
            let chosen = try await DeviceDirectory.search(with: client, in: surroundings) {
                directory throws(CommandFailure) in try directory.selected(by: devices)
            }
            try await client.assign(chosen.map(\.id), to: nil)
            return chosen.count
        }
        let result: JSONValue = ["devices": .integer(Int64(count))]
        surroundings.print(json.isWanted ? result.line : "\(count) devices stand where their nodes say")
        return .done
    }
}
