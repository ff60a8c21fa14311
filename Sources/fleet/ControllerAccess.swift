import FleetClient
import FleetProtocol
import ProcessSupport

/// Access to a fleet's controller, for one command.
struct ControllerAccess: Sendable {
    /// How the controller is reached: that of the session's cell, if there are cells.
    let connection: FleetConnection
    let cells: CellConnections?
    let sessionFile: String
    let surroundings: Surroundings

    var directory: RunDirectory { connection.directory }

    /// Access to the controller of the fleet that the option or the environment names. Without a user,
    /// requests use the session of the last log-in.
    init(_ option: RunDirectoryOption, as user: UserOption? = nil, in surroundings: Surroundings) throws {
        let directory = try surroundings.runDirectory(option)
        sessionFile = try UserSessions(directory: directory).file(of: user?.user)
        let own = try option.network.connection(of: directory, environment: surroundings.environment)
        cells = try CellConnections(
            option.cells, beside: own, environment: surroundings.environment,
            workingDirectory: surroundings.workingDirectory)
        connection = if let cells { try Self.connection(for: sessionFile, cells) } else { own }
        self.surroundings = surroundings
    }

    /// The connection to the cell of the stored session; without a session of a known cell, as for a log-in.
    private static func connection(
        for sessionFile: String, _ cells: CellConnections
    ) throws(RuntimeError) -> FleetConnection {
        let cell = storedSession(in: sessionFile)?.cell
        return try cells.connection(to: cell.flatMap { cells.knows($0) ? $0 : nil })
    }

    var session: StoredSession {
        get throws(RuntimeError) { try StoredSession.read(from: sessionFile) }
    }

    /// The cell of the stored session; nil without one.
    var cell: CellName? { Self.storedSession(in: sessionFile)?.cell }

    private static func storedSession(in sessionFile: String) -> StoredSession? {
        try? StoredSession.read(from: sessionFile)
    }

    private init(_ other: ControllerAccess, over connection: FleetConnection) {
        (self.connection, cells, surroundings) = (connection, other.cells, other.surroundings)
        sessionFile = other.sessionFile
    }

    init(to directory: RunDirectory, in surroundings: Surroundings) throws(RuntimeError) {
        (connection, self.surroundings) = (try FleetConnection(directory), surroundings)
        (cells, sessionFile) = (nil, directory.sessionFile)
    }

    /// Runs work with a client that uses the session of the run directory; it follows the account to another
    /// cell, and so do later commands.
    func withSession<Result: Sendable>(
        _ work: @Sendable (FleetClient) async throws -> Result
    ) async throws -> Result {
        let session = try session
        return try await withClient(session.credentials, locate: cells?.locator) { client in
            let result = await Swift.Result(of: { try await work(client) })
            await store(session, in: client.cell)
            return try result.get()
        }
    }

    /// Notes the cell to which an account was moved, unless a log-in has replaced the session. The work has
    /// its result in any case: without the note, the next command follows the account again.
    private func store(_ session: StoredSession, in cell: CellName?) {
        guard let cell, session.cell != cell, Self.storedSession(in: sessionFile) == session else { return }
        try? session.moved(to: cell).write(to: sessionFile)
    }

    /// Runs work that needs no session, in the cell on which the controllers agree.
    func withoutSession<Result: Sendable>(
        _ work: @Sendable (FleetClient) async throws -> Result
    ) async throws -> Result {
        do {
            return try await atFirst.withClient(nil, locate: cells?.locator, work)
        } catch FleetError.refused(.moved(let cell)) {
            _ = try at(cell)
            throw CommandFailure(
                .undecided, "the cells do not agree where the account is",
                advice: "see `fleet cell list`, then try again")
        }
    }

    /// Runs work with a client that uses the session, and fails with `absence` if the controller answers that
    /// the subject of the request does not exist.
    func withSession<Result: Sendable>(
        else absence: CommandFailure, _ work: @Sendable (FleetClient) async throws -> Result
    ) async throws -> Result {
        do {
            return try await withSession(work)
        } catch FleetError.refused(.notFound) {
            throw absence
        }
    }

    /// Access for a request without a session, which does not depend on the stored one.
    private var atFirst: ControllerAccess {
        get throws {
            guard let cells else { return self }
            return ControllerAccess(self, over: try cells.connection(to: nil))
        }
    }

    /// Access to the controller of another cell; to the same one without a name.
    func at(_ cell: CellName?) throws -> ControllerAccess {
        guard let cell else { return self }
        guard let cells else { throw CommandFailure(FleetError.refused(.moved(cell))) }
        return ControllerAccess(self, over: try cells.connection(to: cell))
    }

    /// Runs work with a client, and closes the client.
    ///
    /// - Parameters:
    ///   - credentials: The client's credentials; nil for a log-in.
    ///   - reportsWait: Whether to tell the user after a second without a connection.
    ///   - locate: Finds the cell to which the client follows an account; nil for a client that stays.
    func withClient<Result: Sendable>(
        _ credentials: Credentials?, reportsWait: Bool = true, locate: FleetClient.CellLocator? = nil,
        _ work: @Sendable (FleetClient) async throws -> Result
    ) async throws -> Result {
        let endpoints = try connection.clientEndpoints
        guard isControllerExpected else {
            throw CommandFailure(
                .absent, "no controller is running in \(connection.socketDirectory)",
                advice: "start a fleet with `fleet up`")
        }
        return try await FleetClient.withClient(
            of: endpoints, threadName: "client", credentials: credentials, clock: surroundings.now,
            seed: surroundings.randomBits(), locate: locate
        ) { client in
            reportsWait ? try await reportingWait(for: client, work) : try await work(client)
        }
    }

    /// Returns whether there is a controller, or a supervisor that will restart it.
    private var isControllerExpected: Bool {
        let directory = connection.socketDirectory
        return connection.membership != nil || directory.hasFile(of: .clients)
            || directory.hasFile(of: .supervisor)
    }
}

extension ControllerAccess {
    /// How long a command waits for a connection before it tells the user.
    static let quietTime: Duration = .seconds(1)

    /// Runs work with a client, and reports on standard error a long wait for a connection.
    func reportingWait<Result: Sendable>(
        for client: FleetClient, _ work: @Sendable (FleetClient) async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    try await surroundings.pause(Self.quietTime)
                } catch {
                    return  // The work has ended.
                }
                guard await !client.isConnected else { return }
                surroundings.notify("fleet: waiting for \(controller)")
            }
            defer { group.cancelAll() }
            do {
                return try await work(client)
            } catch let error as FleetError {
                throw silence(error) ?? error
            }
        }
    }

    /// The failure of a controller whose process runs but accepts no connection; nil for any other error.
    private func silence(_ error: FleetError) -> (any Error)? {
        guard case .noController = error, let holder else { return nil }
        return CommandFailure(
            .absent, "the controller (pid \(holder)) does not answer",
            advice: "restart it with `fleet restart controller`; find the cause with `fleet doctor`")
    }

    private var holder: Int32? { LockTable.holder(of: directory.lockFile(for: "controller")) }

    private var controller: String { holder.map { "the controller (pid \($0))" } ?? "the controller" }
}

extension Result where Failure == any Error {
    /// The result of work, or the error that it throws.
    init(of work: () async throws -> Success) async {
        do {
            self = .success(try await work())
        } catch {
            self = .failure(error)
        }
    }
}
