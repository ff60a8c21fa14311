import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

/// `fleet site`: the commands for one site of the account.
struct SiteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site",
        abstract: "Show a site, and say what it is and which devices stand there.",
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
struct SitesCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "sites",
        abstract: "List the sites of the account: the places where its devices stand.",
        discussion: """
            Ordered by name, one page at a time; `fleet site list` does the same. The list includes \
            sites without a description, such as those of a scenario's groups.

            EXAMPLES
              fleet sites
              fleet sites --page 2 --page-size 20
              fleet sites --json | jq -r 'select(.latitude == null) | .name'
            """)

    @OptionGroup var listing: SiteListing

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await listing.run(in: surroundings)
    }
}

/// `fleet site list`: lists the sites of the account, as `fleet sites` does.
struct SiteListCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the sites of the account, as `fleet sites` does.",
        discussion: """
            EXAMPLES
              fleet site list
              fleet site list --json | jq -r .name
            """)

    @OptionGroup var listing: SiteListing

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await listing.run(in: surroundings)
    }
}

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

/// `fleet site add`: adds a site to the account.
struct SiteAddCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make a site.",
        discussion: """
            It is kept before the command ends. The same typed again makes no second one; no two sites of \
            an account have the same name. An account has \(Limits.accountSites) at most.

            EXAMPLES
              fleet site add "Mill Lane 4"
              fleet site add Quay --address "Gate 3" --city Sydney --country AU --time-zone Australia/Sydney
            """)

    @Argument(help: "One line of at most \(Limits.nameBytes) bytes.")
    var name: String

    @OptionGroup var options: SiteOptions
    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let profile = try options.profile(named: name)
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let report = try await access.withSession { try await $0.addSite(profile) }
        surroundings.print(
            json.isWanted ? report.json.line : "\(SafeText.of(name)) is a site (\(report.site.id))")
        return .done
    }
}
