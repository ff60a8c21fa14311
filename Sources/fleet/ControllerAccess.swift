import FleetClient
import FleetProtocol
import ProcessSupport

/// Access to a fleet's controller, for one command.
struct ControllerAccess: Sendable {
    /// How the controller is reached.
    let connection: FleetConnection
    /// The environment of the command.
    let surroundings: Surroundings

    /// The fleet's run directory.
    var directory: RunDirectory { connection.directory }

    /// Access to the controller of the fleet that the option or the environment names.
    ///
    /// - Throws: `CommandFailure` if there is no such fleet.
    init(_ option: RunDirectoryOption, in surroundings: Surroundings) throws(CommandFailure) {
        let directory = try surroundings.runDirectory(option)
        do throws(RuntimeError) {
            connection = try option.network.connection(of: directory, environment: surroundings.environment)
        } catch {
            throw CommandFailure(error)
        }
        self.surroundings = surroundings
    }

    /// Access to the controller of a run directory.
    ///
    /// - Throws: `damagedKey`, or `system` if the file of a membership cannot be read.
    init(to directory: RunDirectory, in surroundings: Surroundings) throws(RuntimeError) {
        (connection, self.surroundings) = (try FleetConnection(directory), surroundings)
    }

    /// Runs work with a client that uses the session of the run directory.
    ///
    /// - Throws: `RuntimeError` if no session is stored, and the errors of the work.
    func withSession<Result: Sendable>(
        _ work: @Sendable (FleetClient) async throws -> Result
    ) async throws -> Result {
        let session = try StoredSession.read(from: directory.sessionFile)
        let credentials = Credentials(user: session.email, token: session.token)
        return try await withClient(credentials, work)
    }

    /// Runs work with a client that uses the session, and fails with `absence` if the controller answers that
    /// the subject of the request does not exist.
    ///
    /// - Throws: As ``withSession(_:)``.
    func withSession<Result: Sendable>(
        else absence: CommandFailure, _ work: @Sendable (FleetClient) async throws -> Result
    ) async throws -> Result {
        do {
            return try await withSession(work)
        } catch FleetError.refused(.notFound) {
            throw absence
        }
    }

    /// Runs work with a client, and closes the client.
    ///
    /// - Parameters:
    ///   - credentials: The client's credentials; nil for a log-in.
    ///   - reportsWait: Whether to tell the user after a second without a connection.
    func withClient<Result: Sendable>(
        _ credentials: Credentials?, reportsWait: Bool = true,
        _ work: @Sendable (FleetClient) async throws -> Result
    ) async throws -> Result {
        let endpoints = FleetClient.Endpoints(
            clients: try connection.endpoint(.clients), stream: try connection.endpoint(.stream),
            security: connection.security)
        guard try isControllerExpected() else { throw Self.absence(of: directory) }
        return try await FleetClient.withClient(
            of: endpoints, threadName: "client", credentials: credentials, clock: surroundings.now,
            seed: surroundings.randomBits()
        ) { client in
            reportsWait ? try await reportingWait(for: client, work) : try await work(client)
        }
    }

    /// Returns whether there is a controller, or a supervisor that will restart it.
    private func isControllerExpected() throws(RuntimeError) -> Bool {
        if connection.membership != nil { return true }
        if try directory.hasFile(of: .clients) { return true }
        return try directory.hasFile(of: .supervisor)
    }

    private static func absence(of directory: RunDirectory) -> CommandFailure {
        CommandFailure(
            .absent, "no controller is running in \(directory)", advice: "start a fleet with `fleet up`")
    }
}
