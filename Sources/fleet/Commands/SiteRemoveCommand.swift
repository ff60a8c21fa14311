import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet site remove`: forgets what was said of a site.
struct SiteRemoveCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Forget what was said of a site.",
        discussion: """
            Devices that were assigned to it stand where their nodes say. A site of which nodes say that \
            devices stand there stays in the list, with its name alone.

            EXAMPLES
              fleet site add Attic
              fleet site remove Attic
            """)

    @Argument(help: "Its name or id.")
    var site: String

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let (report, count) = try await access.aboutSite(site) { client, known in
            (known, try await client.removeSite(known.site.id))
        }
        let result: JSONValue = [
            "id": .string(report.site.id.description), "unassigned": .integer(Int64(count)),
        ]
        let name = SafeText.of(report.site.profile.name)
        surroundings.print(
            json.isWanted
                ? result.line : "\(name) is removed; \(count) devices had been assigned to it")
        return .done
    }
}
