import FleetClient
import FleetProtocol
import GatewayCore
import Glibc
import ProcessSupport
import UserFiles
import UserText

/// The gateway's connections to the controllers, and the replicas of the accounts that it serves.
struct FleetLink: Sendable {
    let cells: CellClients
    let replicas: AccountReplicas

    /// The interval between two attempts to read a stored session.
    private static let sessionInterval: Duration = .milliseconds(250)

    static func directory(of option: RunDirectoryOption) throws -> RunDirectory {
        try option.network.runDirectory(
            explicit: option.path, environment: Environment.current,
            startingAt: Environment.workingDirectory, hasCells: option.cells.isNamed(in: Environment.current)
        ).opened()
    }

    /// Does work with a connection to the fleet of a run directory, and closes it.
    static func withFleet(
        of directory: RunDirectory, _ option: RunDirectoryOption, clock: @escaping @Sendable () -> Moment,
        _ work: (FleetLink, FleetClient) async throws -> Void
    ) async throws {
        let given = try option.network.connection(of: directory, environment: Environment.current)
        let cells = try CellConnections(
            option.cells, beside: given, environment: Environment.current,
            workingDirectory: Environment.workingDirectory)
        let connection = try cells?.connection(to: cells?.first) ?? given
        let seed = World.randomNumber()
        try await FleetClient.withClient(
            of: try connection.clientEndpoints, threadName: "gateway", clock: clock, seed: seed
        ) { client in
            let clients = CellClients(own: client, of: cells, clock: clock, seed: seed)
            let replicas = AccountReplicas(clock: clock, seed: seed, records: try directory.podRecords)
            let result: Result<Void, any Error>
            do {
                result = .success(try await work(FleetLink(cells: clients, replicas: replicas), client))
            } catch {
                result = .failure(error)
            }
            await clients.close()
            try result.get()
        }
    }

    /// Replicates the account of the user who started the fleet before the first request. It waits for the
    /// stored session of that user, and its requests count as use of the session.
    func warm(from directory: RunDirectory) async {
        while await replicas.all.isEmpty {
            await replicateStored(in: directory)
            do {
                try await World.sleep(Self.sessionInterval)
            } catch {
                return  // The gateway ends.
            }
        }
    }

    private func replicateStored(in directory: RunDirectory) async {
        for path in [directory.observerSessionFile, directory.sessionFile] {
            guard let session = try? StoredSession.read(from: path) else { continue }
            let credentials = session.credentials
            let cell = await cells.cell(of: session.cell)
            guard let client = await cells.client(of: cell) else { continue }
            _ = await replicas.replica(of: session.account, in: cell, as: credentials, with: client)
        }
    }

    /// The reason why the gateway is not ready to serve requests; nil when it is ready.
    var whyNotReady: String? {
        get async {
            var isConnected = false
            for client in await cells.all where await client.isConnected { isConnected = true }
            guard isConnected else { return "no connection to the controller" }
            for replica in await replicas.all where await replica.client.isConnected {
                guard await !replica.isWhole(within: .zero), await !replica.isDisowned else { continue }
                return "an account's devices are not loaded yet"
            }
            return nil
        }
    }
}

extension RunDirectory {
    /// The pods of the file that the fleet was started with.
    var podRecords: PodRecords {
        get throws {
            guard let path = podsFile else { return .none }
            return PodRecords(try PodFile(path).records, seed: try seed() ?? 1)
        }
    }
}

/// The gateway's one connection to the supervisor, on the thread of the controller's client.
struct SupervisorLink: Sendable {
    private let directory: RunDirectory
    private let client: SupervisorClient

    /// Creates the connection to the supervisor of a run directory, which may have no supervisor.
    init(in directory: RunDirectory, beside controller: FleetClient) throws(RuntimeError) {
        self.directory = directory
        client = SupervisorClient(at: try directory.endpoint(.supervisor), on: controller.loop)
    }

    /// Sends a request; nil without a supervisor, or when no answer came in time.
    func ask(_ request: SupervisorRequest, timeout: Duration) async -> SupervisorReply? {
        guard directory.hasFile(of: .supervisor) else { return nil }
        return try? await client.ask(request, timeout: timeout)
    }
}

struct FleetProcesses: Sendable {
    private static let timeout: Duration = .milliseconds(500)

    let supervisor: SupervisorLink

    /// Returns each process with its measured resource use; empty without a supervisor.
    func measured() async -> [(process: FleetProcess, use: ProcessUse?)] {
        let reply = await supervisor.ask(.processes, timeout: Self.timeout)
        return (reply?.processes ?? []).map { ($0, $0.processID.flatMap(Self.use)) }
    }

    private static func use(of processID: Int32) -> ProcessUse? {
        guard let file = fopen("/proc/\(processID)/stat", "r") else { return nil }
        defer { fclose(file) }
        var bytes = [CChar](repeating: 0, count: 4_096)
        guard fgets(&bytes, Int32(bytes.count), file) != nil else { return nil }
        let line = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return ProcessUse(
            stat: line, ticks: sysconf(Int32(_SC_CLK_TCK)), pageBytes: sysconf(Int32(_SC_PAGESIZE)))
    }
}

struct SiteReader: Sendable {
    let services: ServiceCaller

    /// Reads the current sites; returns nil if their revision is the known one, or if they changed during the
    /// reading.
    func register(newerThan known: SitesRevision?) async throws(FleetError) -> SiteRegister? {
        var (sites, assignments) = ([Site](), [SiteAssignment]())
        // A page of one site is enough to read the revision.
        let first = try await services.sites(page: 1, size: 1)
        guard first.revision != known else { return nil }
        var page = 1
        while true {
            let list = try await services.sites(page: page)
            // Sites that only nodes name change without a new revision, and move other sites between pages.
            guard list.revision == first.revision, list.total == first.total else { return nil }
            sites += list.sites.map(\.site)
            guard list.sites.count == Limits.pageSites, sites.count < list.total else { break }
            page += 1
        }
        while true {
            let chunk = try await services.assignments(after: assignments.last?.device)
            guard chunk.revision == first.revision else { return nil }
            assignments += chunk.assignments
            guard !chunk.isLast, assignments.count < Limits.accountAssignments else { break }
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

    mutating func end() { isUnderWay = false }

    func isDue(at now: MonotonicTime) -> Bool {
        !isUnderWay && begunAt.map { $0.advanced(by: Self.interval) <= now } ?? true
    }

    /// The time of the next reading; nil during a reading, and before the first one.
    var nextDue: MonotonicTime? { isUnderWay ? nil : begunAt?.advanced(by: Self.interval) }
}
