import Bus
import FleetClient
import FleetProtocol
import FleetReplica
import FleetTime
import ProcessSupport
import TestSupport
import Testing

/// A client and a controller on their own sockets, for one test.
struct Bench: Sendable {
    let context: Context
    let loop: Loop
    let endpoints: FleetClient.Endpoints
    let client: FleetClient

    /// A controller that has not started.
    func makeController() -> ScriptedController { ScriptedController(on: loop) }

    /// Starts a controller.
    func startController() async throws -> ScriptedController {
        let controller = makeController()
        try await controller.start(context, clients: endpoints.clients, stream: endpoints.stream)
        return controller
    }

    /// Creates a bench, passes it to a closure, and removes everything again.
    static func run(
        credentials: Credentials? = nil, _ body: (Bench) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let context = try Context()
        let loop = try Loop.start(name: "bench", context: context)
        let endpoints = FleetClient.Endpoints(
            clients: try Endpoint.ipc(path: "\(directory.path)/clients.sock"),
            stream: try Endpoint.ipc(path: "\(directory.path)/stream.sock"))
        let clock = SystemClock()
        let client = try await FleetClient.open(
            endpoints, on: loop, context: context, credentials: credentials, clock: { clock.now() }, seed: 1)
        let bench = Bench(context: context, loop: loop, endpoints: endpoints, client: client)
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
    static func connected(_ body: (Bench, ScriptedController) async throws -> Void) async throws {
        try await run(credentials: try Samples.credentials()) { bench in
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
