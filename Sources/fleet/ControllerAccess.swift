import FleetClient
import FleetProtocol
import ProcessSupport

/// The way to a fleet's controller, for the length of one command.
struct ControllerAccess: Sendable {
    /// Where the fleet is.
    let directory: RunDirectory
    /// The world.
    let surroundings: Surroundings

    /// The way to the controller of the fleet that the options and the environment mean.
    ///
    /// - Throws: `CommandFailure` when there is no such fleet.
    init(_ option: RunDirectoryOption, in surroundings: Surroundings) throws(CommandFailure) {
        directory = try surroundings.runDirectory(option)
        self.surroundings = surroundings
    }

    /// The way to the controller of a run directory.
    init(to directory: RunDirectory, in surroundings: Surroundings) {
        (self.directory, self.surroundings) = (directory, surroundings)
    }

    /// Does something with a client that shows the session of the run directory.
    ///
    /// - Throws: `RuntimeError` when nobody has logged in, and what the work throws.
    func withSession<Result: Sendable>(
        _ work: @Sendable (FleetClient) async throws -> Result
    ) async throws -> Result {
        let session = try StoredSession.read(from: directory.sessionFile)
        let credentials = Credentials(user: session.email, token: session.token)
        return try await withClient(credentials, work)
    }

    /// Does something with a client that shows the session, and fails with `absence` where the controller
    /// does not find what it is about.
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

    /// Does something with a client, and closes it.
    ///
    /// - Parameters:
    ///   - credentials: What it shows the controller; nil for a log-in.
    ///   - tellsWait: Whether to tell the user when a second passes without a connection.
    func withClient<Result: Sendable>(
        _ credentials: Credentials?, tellsWait: Bool = true,
        _ work: @Sendable (FleetClient) async throws -> Result
    ) async throws -> Result {
        let endpoints = FleetClient.Endpoints(
            clients: try directory.endpoint(.clients), stream: try directory.endpoint(.stream))
        guard try isAnybodyThere() else { throw Self.absence(of: directory) }
        return try await FleetClient.withClient(
            of: endpoints, threadName: "client", credentials: credentials, clock: surroundings.now,
            seed: surroundings.randomBits()
        ) { client in
            tellsWait ? try await tellingWait(for: client, work) : try await work(client)
        }
    }

    /// Whether there is a controller, or a supervisor that will start one again.
    private func isAnybodyThere() throws(RuntimeError) -> Bool {
        if try directory.hasFile(of: .clients) { return true }
        return try directory.hasFile(of: .supervisor)
    }

    private static func absence(of directory: RunDirectory) -> CommandFailure {
        CommandFailure(
            .absent, "no controller is running in \(directory)", advice: "start a fleet with `fleet up`")
    }
}
