import FleetClient
import FleetProtocol
import GatewayCore

/// Reads all that there is to know of an account's sites.
struct SiteReader: Sendable {
    /// How often it is looked whether anything has changed.
    static let interval: Duration = .seconds(1)

    let client: FleetClient

    /// The sites as they are now; nil where they are as a register has them, or have changed while they were
    /// read.
    ///
    /// - Throws: `FleetError`.
    func register(
        newerThan known: SitesRevision?, as credentials: Credentials
    ) async throws(FleetError) -> SiteRegister? {
        var (sites, assignments) = ([Site](), [SiteAssignment]())
        // To ask whether anything has changed, one site is enough.
        let first = try await client.sites(page: 1, size: 1, as: credentials)
        guard first.revision != known else { return nil }
        var page = 1
        while true {
            let list = try await client.sites(page: page, as: credentials)
            // What only nodes name comes and goes without a revision, and moves others from page to page.
            guard list.revision == first.revision, list.total == first.total else { return nil }
            sites += list.sites.map(\.site)
            guard list.sites.count == Limits.pageSites else { break }
            page += 1
        }
        while true {
            let chunk = try await client.assignments(after: assignments.last?.device, as: credentials)
            guard chunk.revision == first.revision else { return nil }
            assignments += chunk.assignments
            guard !chunk.isLast else { break }
        }
        return SiteRegister(sites, assignments, revision: first.revision)
    }
}
