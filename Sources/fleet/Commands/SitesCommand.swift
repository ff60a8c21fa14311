import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet sites`: lists the sites of the account.
struct SitesCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "sites",
        abstract: "List the sites of the account: the places where its devices stand.",
        discussion: """
            By name, a page at a time. Sites of which nobody has said anything are there as long as nodes \
            say that devices stand there, as a scenario's groups do.

            EXAMPLES
              fleet sites
              fleet sites --page 2 --page-size 20
              fleet sites --json | jq -r 'select(.latitude == null) | .name'
            """)

    @Option(help: "Which page, from 1.")
    var page = 1

    @Option(help: "How many there are on a page, 1 to \(Limits.pageSites).")
    var pageSize = Limits.pageSites

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard (1...Int(UInt32.max)).contains(page) else { throw ValidationError("--page is 1 or more") }
        guard (1...Limits.pageSites).contains(pageSize) else {
            throw ValidationError("--page-size is 1 to \(Limits.pageSites)")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let list = try await access.withSession { try await $0.sites(page: page, size: pageSize) }
        if json.isWanted {
            for site in list.sites { surroundings.print(site.json.line) }
        } else if list.total == 0 {
            surroundings.say("fleet: there is no site yet; `fleet site add NAME` makes one")
        } else {
            for line in SiteReport.table(of: list.sites).lines { surroundings.print(line) }
            let pages = (Int(list.total) + pageSize - 1) / pageSize
            let more = pages > 1 ? ", page \(page) of \(pages)" : ""
            surroundings.say("\(list.sites.count) of \(list.total) sites\(more)")
        }
        return .done
    }
}
