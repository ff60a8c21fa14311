import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

struct SiteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site", abstract: "Show and change a site and its devices.",
        discussion: """
            A device is at the site that its node names, as a scenario's groups do, unless an owner of the \
            account has assigned it to another. All users of the account can see its sites; owners can \
            change them. Name a site by its name, in any case, or by its ID.

            EXAMPLES
              fleet site add "Mill Lane 4" --coordinates 59.9139,10.7522 --city Oslo --country NO
              fleet site "Mill Lane 4"
              fleet site set "Mill Lane 4" --description "<p>Ask at the <b>gate</b>.</p>"
              fleet site assign "Mill Lane 4" 'attic*' "Bedroom 7"
            """,
        subcommands: [
            SiteShowCommand.self, SiteListCommand.self, SiteAddCommand.self, SiteSetCommand.self,
            SiteAssignCommand.self, SiteUnassignCommand.self, SiteRemoveCommand.self,
        ],
        defaultSubcommand: SiteShowCommand.self)
}

struct SitesCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "sites", abstract: "List the sites of the account: the locations of its devices.",
        discussion: """
            Ordered by name, one page at a time; same as `fleet site list`. The list includes sites without \
            a description, such as those of a scenario's groups.

            EXAMPLES
              fleet sites
              fleet sites --page 2 --page-size 20
              fleet sites --json | jq -r 'select(.latitude == null) | .name'
            """)

    @OptionGroup var listing: SiteListing

    var client: ClientOptions { listing.client }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        try await listing.output(from: access)
    }
}

struct SiteListCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the sites of the account, as `fleet sites` does.",
        discussion: """
            EXAMPLES
              fleet site list
              fleet site list --json | jq -r .name
            """)

    @OptionGroup var listing: SiteListing

    var client: ClientOptions { listing.client }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        try await listing.output(from: access)
    }
}

struct SiteShowCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a site with its devices; same as `fleet site NAME`.",
        discussion: """
            With --json it prints an object for the site, and one for each device.

            EXAMPLES
              fleet site Home
              fleet site show Home --json | jq -r 'select(.version == null) | .id'
            """)

    @Argument(help: "The site's name or ID.") var site: String

    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let (report, devices) = try await access.aboutSite(site) { client, report in
            (report, try await client.devices(at: report.site.id))
        }
        let listed = devices.map { "  \(SafeText.label($0.name, of: $0.id)) (\($0.id))" }
        return CommandOutput(
            json: [report.json] + devices.map(\.json),
            lines: report.lines + (listed.isEmpty ? [] : [""] + listed))
    }
}

struct SiteAddCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a site.",
        discussion: """
            The site is committed before the command ends. Site names are unique within an account, so a \
            repeated command adds no second site. An account has \(Limits.accountSites) sites at most.

            EXAMPLES
              fleet site add "Mill Lane 4"
              fleet site add Quay --address "Gate 3" --city Sydney --country AU --time-zone Australia/Sydney
            """)

    @Argument(help: "The name: one line of at most \(Limits.nameBytes) bytes.") var name: String

    @OptionGroup var options: SiteOptions
    @OptionGroup var client: ClientOptions

    func checkArguments() throws { _ = try options.profile(named: name) }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let profile = try options.profile(named: name)
        let report = try await access.withSession { try await $0.addSite(profile) }
        return CommandOutput(report.json, "site \(SafeText.of(name)) added (\(report.site.id))")
    }
}
