import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

/// `fleet site`: the commands for one site of the account.
struct SiteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site", abstract: "Show a site, and say what it is and which devices stand there.",
        discussion: """
            A device stands where its node says, as a scenario's groups do, unless an owner of the account \
            has assigned it. Everybody of the account sees its sites; owners change them. \
            A site is named by its name, in capitals or not, or by its id.

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

/// `fleet sites`: lists the sites of the account.
struct SitesCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "sites", abstract: "List the sites of the account: the places where its devices stand.",
        discussion: """
            Ordered by name, one page at a time; `fleet site list` does the same. The list includes \
            sites without a description, such as those of a scenario's groups.

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

/// `fleet site list`: lists the sites of the account, as `fleet sites` does.
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

/// `fleet site show`: shows a site with its devices.
struct SiteShowCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a site with its devices; `fleet site NAME` does, too.",
        discussion: """
            For scripts there is a line for the site, and one for each device.

            EXAMPLES
              fleet site Home
              fleet site show Home --json | jq -r 'select(.version == null) | .id'
            """)

    @Argument(help: "Its name or id.") var site: String

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

/// `fleet site add`: adds a site to the account.
struct SiteAddCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Make a site.",
        discussion: """
            It is kept before the command ends. The same typed again makes no second one; no two sites of \
            an account have the same name. An account has \(Limits.accountSites) at most.

            EXAMPLES
              fleet site add "Mill Lane 4"
              fleet site add Quay --address "Gate 3" --city Sydney --country AU --time-zone Australia/Sydney
            """)

    @Argument(help: "One line of at most \(Limits.nameBytes) bytes.") var name: String

    @OptionGroup var options: SiteOptions
    @OptionGroup var client: ClientOptions

    func checkArguments() throws {
        _ = try options.profile(named: name)
    }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let profile = try options.profile(named: name)
        let report = try await access.withSession { try await $0.addSite(profile) }
        return CommandOutput(report.json, "\(SafeText.of(name)) is a site (\(report.site.id))")
    }
}
