import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet site set`: says what a site is.
struct SiteSetCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Say what a site is: what is not named stays as it is.",
        discussion: """
            An empty text takes away what was said. Nothing is changed where somebody else has changed the \
            site meanwhile.

            EXAMPLES
              fleet site set Home --coordinates 59.9139,10.7522
              fleet site set Home --description "<p>Ask at the gate.</p>"
              fleet site set Home --city "" --coordinates ""
            """)

    @Argument(help: "Its name or id.")
    var site: String

    @Option(help: ArgumentHelp("What it is called from now on.", valueName: "name"))
    var name: String?

    @OptionGroup var options: SiteOptions
    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard name != nil || !options.isEmpty else {
            throw ValidationError(
                "nothing to set: name --name, --description, --coordinates, --address, --city, --country "
                    + "or --time-zone")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let report = try await access.aboutSite(site) { client, known in
            let former = known.site.profile
            let profile = try options.profile(named: name ?? former.name, over: former)
            return try await client.changeSite(known.site.id, from: known.site.version, to: profile)
        }
        if json.isWanted {
            surroundings.print(report.json.line)
        } else {
            for line in report.lines { surroundings.print(line) }
        }
        return .done
    }
}
