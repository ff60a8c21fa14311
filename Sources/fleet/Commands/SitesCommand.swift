import ArgumentParser

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
