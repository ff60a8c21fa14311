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

struct SitesCommand: SiteListingCommand {
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
}

struct SiteListCommand: SiteListingCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the sites of the account, as `fleet sites` does.",
        discussion: """
            EXAMPLES
              fleet site list
              fleet site list --json | jq -r .name
            """)

    @OptionGroup var listing: SiteListing
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

struct SiteSetCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change the profile of a site.",
        discussion: """
            What you leave out stays unchanged; an empty text removes the value. If another user changes \
            the site at the same time, nothing is changed.

            EXAMPLES
              fleet site set Home --coordinates 59.9139,10.7522
              fleet site set Home --description "<p>Ask at the gate.</p>"
              fleet site set Home --city "" --coordinates ""
            """)

    @Argument(help: "The site's name or ID.") var site: String
    @Option(help: "The new name.") var name: String?
    @OptionGroup var options: SiteOptions
    @OptionGroup var client: ClientOptions

    func validate() throws {
        try require(
            name != nil || !options.isEmpty,
            "nothing to set: add --name, --description, --coordinates, --address, --city, --country "
                + "or --time-zone")
    }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let report = try await access.aboutSite(site) { client, known in
            let former = known.site.profile
            let profile = try options.profile(named: name ?? former.name, over: former)
            return try await client.changeSite(known.site.id, from: known.site.version, to: profile)
        }
        return CommandOutput(json: [report.json], lines: report.lines)
    }
}

struct SiteRemoveCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove the profile of a site.",
        discussion: """
            Devices that were assigned to it return to the sites of their scenario groups. If a group names \
            the site, it stays in the list, with only its name.

            EXAMPLES
              fleet site add Attic
              fleet site remove Attic
            """)

    @Argument(help: "The site's name or ID.") var site: String
    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let (report, count) = try await access.aboutSite(site) { client, known in
            (known, try await client.removeSite(known.site.id))
        }
        let name = SafeText.of(report.site.profile.name)
        return CommandOutput(
            ["id": report.site.id.description, "unassigned": count],
            "\(name) removed; \(Count.of(Int(count), "device")) had been assigned to it")
    }
}

struct SiteAssignCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign",
        abstract: "Assign devices to a site, in place of those of their scenario groups.",
        discussion: """
            A device is at one site at a time. An account assigns \(Limits.accountAssignments) devices \
            at most.

            EXAMPLES
              fleet site assign Home "Bedroom 7" VMe9BNPT
              fleet site assign Home 'attic*'
            """)

    @Argument(help: "The site's name or ID.") var site: String
    @Argument(help: .devices, completion: .devices) var devices: [String]
    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let report = try await access.aboutSite(site) { client, known in
            let chosen = try await access.devices(selectedBy: devices, with: client)
            try await client.assign(chosen.map(\.id), to: known.site.id)
            return try await client.site(.id(known.site.id))
        }
        let name = SafeText.of(report.site.profile.name)
        return CommandOutput(report.json, "\(name) now has \(Count.of(Int(report.devices), "device"))")
    }
}

struct SiteUnassignCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "unassign", abstract: "Return devices to the sites of their scenario groups.",
        discussion: """
            EXAMPLES
              fleet site unassign "Bedroom 7"
              fleet site unassign all
            """)

    @Argument(help: .devices, completion: .devices) var devices: [String]
    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let count = try await access.withSession { client in
            let chosen = try await access.devices(selectedBy: devices, with: client)
            try await client.assign(chosen.map(\.id), to: nil)
            return chosen.count
        }
        return CommandOutput(
            ["devices": count],
            "\(Count.of(count, "device")) returned to the sites of the scenario")
    }
}

extension SiteReport {
    static var columns: [TextTable.Column<SiteReport>] {
        [
            ("SITE", .left, { $0.site.profile.name }), ("DEVICES", .right, { "\($0.devices)" }),
            ("WHERE", .left, { $0.site.profile.whereabouts.nonEmpty ?? "-" }),
            ("COORDINATES", .left, { $0.site.profile.coordinates?.description ?? "-" }),
            ("ID", .left, { $0.site.id.description }),
        ]
    }

    /// All lines for people, except for the site's devices.
    var lines: [String] {
        let profile = site.profile
        var lines = ["\(SafeText.of(profile.name)) (\(site.id))"]
        if !profile.whereabouts.isEmpty { lines.append(SafeText.of(profile.whereabouts)) }
        lines.append(profile.coordinates.map { "coordinates \($0)" } ?? "no coordinates")
        if let zone = profile.timeZone { lines.append("time zone \(zone)") }
        lines.append(Count.of(Int(devices), "device"))
        guard isDescribed else { return lines + ["no description"] }
        return lines + [""] + profile.description.safeLines
    }
}

struct SiteListing: ParsableArguments {
    @Option(help: "The page to show, from 1.") var page = 1
    @Option(help: "The number of sites on a page, 1 to \(Limits.pageSites).") var pageSize = Limits.pageSites
    @OptionGroup var client: ClientOptions

    func validate() throws {
        try require((1...Int(UInt32.max)).contains(page), "--page is 1 or more")
        try require((1...Limits.pageSites).contains(pageSize), "--page-size is 1 to \(Limits.pageSites)")
    }
}

protocol SiteListingCommand: ClientCommand {
    var listing: SiteListing { get }
}

extension SiteListingCommand {
    var client: ClientOptions { listing.client }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let (page, pageSize) = (listing.page, listing.pageSize)
        let list = try await access.withSession { try await $0.sites(page: page, size: pageSize) }
        let pages = (Int(list.total) + pageSize - 1) / pageSize
        let more = pages > 1 ? ", page \(page) of \(pages)" : ""
        return .list(
            list.sites, SiteReport.columns, json: \.json,
            absence: list.total > 0 ? nil : "fleet: no sites yet; add one with `fleet site add NAME`",
            remark: "\(list.sites.count) of \(list.total) sites\(more)")
    }
}
