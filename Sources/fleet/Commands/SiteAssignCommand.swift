import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet site assign`: has devices stand at a site.
struct SiteAssignCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign",
        abstract: "Have devices stand at a site, whatever their nodes say.",
        discussion: """
            A device stands at one site at a time. An account assigns \(Limits.accountAssignments) devices \
            at most.

            EXAMPLES
              fleet site assign Home "Bedroom 7" VMe9BNPT
              fleet site assign Home 'attic*'
            """)

    @Argument(help: "The site's name or id.")
    var site: String

    @Argument(help: .devices)
    var devices: [String]

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let report = try await access.aboutSite(site) { client, known in
            let chosen = try await DeviceDirectory.search(with: client, in: surroundings) {
                directory throws(CommandFailure) in try directory.selected(by: devices)
            }
            try await client.assign(chosen.map(\.id), to: known.site.id)
            return try await client.site(.id(known.site.id))
        }
        let name = SafeText.of(report.site.profile.name)
        surroundings.print(
            json.isWanted ? report.json.line : "\(report.devices) devices stand at \(name) now")
        return .done
    }
}
