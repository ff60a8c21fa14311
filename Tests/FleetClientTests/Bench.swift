import Bus
import FleetClient
import FleetProtocol
import FleetReplica
import ProcessSupport
import TestSupport
import Testing

/// A client and a controller on their own sockets, for one test.
struct Bench: Sendable {
    let context: Context
    let loop: Loop
    let endpoints: FleetClient.Endpoints
    let client: FleetClient
    /// The sockets of the other cells that the client knows.
    let cells: [CellName: FleetClient.Endpoints]

    /// A controller that has not started.
    func makeController() -> ScriptedController { ScriptedController(on: loop) }

    /// Starts a controller; that of another cell with a name.
    func startController(of cell: CellName? = nil) async throws -> ScriptedController {
        let controller = makeController()
        let endpoints = try cell.map { try #require(cells[$0]) } ?? self.endpoints
        try await controller.start(context, clients: endpoints.clients, stream: endpoints.stream)
        return controller
    }

    /// Creates a bench, passes it to a closure, and removes everything again.
    ///
    /// - Parameter others: The other cells that the client knows.
    static func run(
        credentials: Credentials? = nil, others: [CellName] = [], _ body: (Bench) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let context = try Context()
        let loop = try Loop.start(name: "bench", context: context)
        func endpoints(_ name: String) throws -> FleetClient.Endpoints {
            FleetClient.Endpoints(
                clients: try Endpoint.ipc(path: "\(directory.path)/\(name)clients.sock"),
                stream: try Endpoint.ipc(path: "\(directory.path)/\(name)stream.sock"))
        }
        let own = try endpoints("")
        let cells = Dictionary(uniqueKeysWithValues: try others.map { ($0, try endpoints("\($0)-")) })
        let clock = SystemClock()
        let client = try await FleetClient.open(
            own, on: loop, context: context, credentials: credentials, clock: { clock.now() }, seed: 1,
            locate: { cells[$0] })
        let bench = Bench(context: context, loop: loop, endpoints: own, client: client, cells: cells)
        do {
            try await body(bench)
        } catch {
            Issue.record(error)
        }
        await client.close()
        await loop.shutdown()
        context.terminate()
    }

    /// With Ada's credentials, connected to a controller.
    static func connected(
        others: [CellName] = [], _ body: (Bench, ScriptedController) async throws -> Void
    ) async throws {
        try await run(credentials: try Samples.credentials(), others: others) { bench in
            let controller = try await bench.startController()
            try await bench.wait { $0 == .established }
            try await body(bench, controller)
            await controller.stop()
        }
    }

    /// Waits until the client has such a connection.
    func wait(until isWanted: (ConnectionState) -> Bool) async throws {
        for await state in await client.connectionStates() where isWanted(state) { return }
        Issue.record("the client was closed first")
    }
}
