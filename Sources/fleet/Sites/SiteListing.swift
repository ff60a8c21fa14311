import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

/// The options and the work of `fleet sites` and `fleet site list`.
struct SiteListing: ParsableArguments {
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

    /// Lists one page of the sites.
    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let list = try await access.withSession { try await $0.sites(page: page, size: pageSize) }
        if json.isWanted {
            for site in list.sites { surroundings.print(site.json.line) }
        } else if list.total == 0 {
            surroundings.say("fleet: the account has no sites yet; `fleet site add NAME` makes one")
        } else {
            for line in SiteReport.table(of: list.sites).lines { surroundings.print(line) }
            let pages = (Int(list.total) + pageSize - 1) / pageSize
            let more = pages > 1 ? ", page \(page) of \(pages)" : ""
            surroundings.say("\(list.sites.count) of \(list.total) sites\(more)")
        }
        return .done
    }
}
