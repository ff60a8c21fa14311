import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

/// `fleet site set`: changes the profile of a site.
struct SiteSetCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Say what a site is: what is not named stays as it is.",
        discussion: """
            An empty text takes away what was said. Nothing is changed where somebody else has changed the \
            site meanwhile.

            EXAMPLES
              fleet site set Home --coordinates 59.9139,10.7522
              fleet site set Home --description "<p>Ask at the gate.</p>"
              fleet site set Home --city "" --coordinates ""
            """)

    @Argument(help: "Its name or id.") var site: String

    @Option(help: ArgumentHelp("What it is called from now on.", valueName: "name")) var name: String?

    @OptionGroup var options: SiteOptions
    @OptionGroup var client: ClientOptions

    func validate() throws {
        guard name != nil || !options.isEmpty else {
            throw ValidationError(
                "nothing to set: name --name, --description, --coordinates, --address, --city, --country "
                    + "or --time-zone")
        }
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

/// `fleet site remove`: removes the profile of a site.
struct SiteRemoveCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget what was said of a site.",
        discussion: """
            Devices that were assigned to it stand where their nodes say. A site of which nodes say that \
            devices stand there stays in the list, with its name alone.

            EXAMPLES
              fleet site add Attic
              fleet site remove Attic
            """)

    @Argument(help: "Its name or id.") var site: String

    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let (report, count) = try await access.aboutSite(site) { client, known in
            (known, try await client.removeSite(known.site.id))
        }
        let name = SafeText.of(report.site.profile.name)
        return CommandOutput(
            ["id": .string(report.site.id.description), "unassigned": .integer(Int64(count))],
            "\(name) is removed; \(count) devices had been assigned to it")
    }
}

/// `fleet site assign`: assigns devices to a site.
struct SiteAssignCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign", abstract: "Have devices stand at a site, whatever their nodes say.",
        discussion: """
            A device stands at one site at a time. An account assigns \(Limits.accountAssignments) devices \
            at most.

            EXAMPLES
              fleet site assign Home "Bedroom 7" VMe9BNPT
              fleet site assign Home 'attic*'
            """)

    @Argument(help: "The site's name or id.") var site: String

    @Argument(help: .devices) var devices: [String]

    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let report = try await access.aboutSite(site) { client, known in
            let chosen = try await access.devices(selectedBy: devices, with: client)
            try await client.assign(chosen.map(\.id), to: known.site.id)
            return try await client.site(.id(known.site.id))
        }
        let name = SafeText.of(report.site.profile.name)
        return CommandOutput(report.json, "\(report.devices) devices stand at \(name) now")
    }
}

/// `fleet site unassign`: removes the assignments of devices, so that the sites of their nodes apply.
struct SiteUnassignCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "unassign", abstract: "Have devices stand where their nodes say.",
        discussion: """
            EXAMPLES
              fleet site unassign "Bedroom 7"
              fleet site unassign all
            """)

    @Argument(help: .devices) var devices: [String]

    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let count = try await access.withSession { client in
            let chosen = try await access.devices(selectedBy: devices, with: client)
            try await client.assign(chosen.map(\.id), to: nil)
            return chosen.count
        }
        return CommandOutput(
            ["devices": .integer(Int64(count))], "\(count) devices stand where their nodes say")
    }
}
