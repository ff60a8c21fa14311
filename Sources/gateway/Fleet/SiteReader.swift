import FleetClient
import FleetProtocol
import GatewayCore
import Stepping

/// Reads all that there is to know of an account's sites.
struct SiteReader: Sendable {
    let client: FleetClient
    /// The longest wait for each answer.
    let patience: Duration

    /// The sites as they are now; nil where they are as a register has them, or have changed while they were
    /// read.
    ///
    /// - Throws: `FleetError`.
    func register(
        newerThan known: SitesRevision?, as credentials: Credentials
    ) async throws(FleetError) -> SiteRegister? {
        var (sites, assignments) = ([Site](), [SiteAssignment]())
        // To ask whether anything has changed, one site is enough.
        let first = try await client.sites(page: 1, size: 1, as: credentials, patience: patience)
        guard first.revision != known else { return nil }
        var page = 1
        while true {
            let list = try await client.sites(page: page, as: credentials, patience: patience)
            // What only nodes name comes and goes without a revision, and moves others from page to page.
            guard list.revision == first.revision, list.total == first.total else { return nil }
            sites += list.sites.map(\.site)
            guard list.sites.count == Limits.pageSites else { break }
            page += 1
        }
        while true {
            let chunk = try await client.assignments(
                after: assignments.last?.device, as: credentials, patience: patience)
            guard chunk.revision == first.revision else { return nil }
            assignments += chunk.assignments
            guard !chunk.isLast else { break }
        }
        return SiteRegister(sites, assignments, revision: first.revision)
    }
}

/// The state of readings of an account's sites: one at a time, and at most one a second.
struct SiteReading: Sendable {
    /// The age at which the sites are read again.
    private static let interval: Duration = .seconds(1)

    private var begunAt: MonotonicTime?
    private var isUnderWay = false

    /// Begins a reading; false while one is under way.
    mutating func begin(at now: MonotonicTime) -> Bool {
        guard !isUnderWay else { return false }
        (begunAt, isUnderWay) = (now, true)
        return true
    }

    /// Ends a reading.
    mutating func end() {
        isUnderWay = false
    }

    /// Whether the sites should be read before use.
    func isDue(at now: MonotonicTime) -> Bool {
        !isUnderWay && begunAt.map { $0.advanced(by: Self.interval) <= now } ?? true
    }

    /// The time of the next reading; nil during a reading, and before the first one.
    var nextDue: MonotonicTime? { isUnderWay ? nil : begunAt?.advanced(by: Self.interval) }
}
