import FleetClient
import FleetProtocol
import ProcessSupport

/// An operator of all cells, who can read the cells' secret.
struct CellOperator: Sendable {
    private static let timeout: Duration = .seconds(2)

    let access: ControllerAccess
    let cells: CellConnections
    private let credentials: Credentials

    /// The operator of the cells that the options, the environment or the run directory name.
    init(_ access: ControllerAccess) throws {
        guard let cells = access.cells else {
            throw CommandFailure(
                .usage, "no list of cells: this fleet has none",
                advice: "name the file with --cells, or begin one with `fleet cell add`")
        }
        let environment = access.surroundings.environment
        let path = CellSecret.file(beside: cells.path, environment: environment)
        guard let secret = try CellSecret.read(from: path) else {
            throw CommandFailure(
                .notPermitted, "no secret of the cells at \(path)",
                advice: "copy it from a cell, or name it with \(CellSecret.variable)")
        }
        guard let email = Email("operator@cells.sensibus.local") else {
            preconditionFailure("the operator's email is allowed")
        }
        (self.access, self.cells) = (access, cells)
        credentials = Credentials(user: email, token: secret.token)
    }

    /// Asks all cells at the same time; returns the replies in the order of the list.
    func ask<Reply: Sendable>(
        _ work: @escaping @Sendable (ServiceCaller) async throws -> Reply
    ) async -> [(cell: CellName, reply: Result<Reply, CommandFailure>)] {
        let names = cells.list.cells.map(\.name)
        let replies = await withTaskGroup(of: (CellName, Result<Reply, CommandFailure>).self) { group in
            for name in names { group.addTask { (name, await result(of: work, at: name)) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        return names.compactMap { name in replies[name].map { (name, $0) } }
    }

    func ask<Reply: Sendable>(
        _ cell: CellName, timeout: Duration = Self.timeout,
        _ work: @Sendable (ServiceCaller) async throws -> Reply
    ) async throws -> Reply {
        do {
            return try await access.at(cell).withClient(nil, reportsWait: false) {
                try await work($0.services(as: credentials, timeout: timeout))
            }
        } catch FleetError.refused(.unauthenticated) {
            throw CommandFailure(
                .notPermitted, "cell \(cell) does not accept this operator",
                advice:
                    "it has another secret, was started without --cells, or the key of this machine is limited to an account"
            )
        }
    }

    private func result<Reply: Sendable>(
        of work: @Sendable (ServiceCaller) async throws -> Reply, at cell: CellName
    ) async -> Result<Reply, CommandFailure> {
        do {
            return .success(try await ask(cell, work))
        } catch {
            return .failure(CommandFailure(of: error))
        }
    }
}
