import ArgumentParser

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
