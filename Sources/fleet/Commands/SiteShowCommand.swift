import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet site show`: shows a site with its devices.
struct SiteShowCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a site with its devices; `fleet site NAME` does, too.",
        discussion: """
            For scripts there is a line for the site, and one for each device.

            EXAMPLES
              fleet site Home
              fleet site show Home --json | jq -r 'select(.version == null) | .id'
            """)

    @Argument(help: "Its name or id.")
    var site: String

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let (report, devices) = try await access.aboutSite(site) { client, report in
            (report, try await client.devices(at: report.site.id))
        }
        if json.isWanted {
            for value in [report.json] + devices.map(\.json) { surroundings.print(value.line) }
        } else {
            let listed = devices.map { "  \(SafeText.label($0.name, of: $0.id)) (\($0.id))" }
            for line in report.lines + (listed.isEmpty ? [] : [""] + listed) { surroundings.print(line) }
        }
        return .done
    }
}
