import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

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

    @Option(help: ArgumentHelp("The new name.", valueName: "name")) var name: String?

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
