import Bus
import FleetClient
import FleetProtocol
import Logging
import ProcessSupport

/// The clients of the controllers of all cells, on one thread. A client is opened when the first token names
/// its cell. The list of cells is read again for an unknown name, at most once a second.
actor CellClients {
    /// The most times that a request follows a controller to another cell.
    static let mostMoves = 3
    private static let readInterval: Duration = .seconds(1)

    /// The client of the run directory's fleet, or of the first cell.
    nonisolated let own: FleetClient
    private var connections: CellConnections?
    private let clock: @Sendable () -> Moment
    private let logger = Logger(label: "gateway")
    private var generator: SeededGenerator
    private var clients: [CellName: FleetClient] = [:]
    private var nextRead = MonotonicTime.zero

    /// The clients of a fleet without cells: only `own`; or those of all cells.
    init(
        own: FleetClient, of connections: CellConnections?, clock: @escaping @Sendable () -> Moment,
        seed: UInt64
    ) {
        (self.own, self.connections, self.clock) = (own, connections, clock)
        generator = SeededGenerator.derived(seed: seed, purpose: 3)
        if let connections { clients[connections.first] = own }
    }

    var all: [FleetClient] { [own] + clients.values.filter { $0 !== own } }

    /// The client of a cell; nil for an unknown cell. Without cells, and without a name, it is that of the
    /// own fleet.
    func client(of cell: CellName?) async -> FleetClient? {
        guard let cell, connections != nil else { return own }
        if let client = clients[cell] { return client }
        if connections?.list[cell] == nil { reload() }
        do {
            guard let connection = try connections?.connection(to: cell) else { return nil }
            let client = try await FleetClient.open(
                connection.clientEndpoints, on: own.loop, context: own.loop.context, clock: clock,
                seed: generator.next())
            // During the wait, another request may have opened one.
            if let earlier = clients[cell] {
                await client.close()
                return earlier
            }
            clients[cell] = client
            return client
        } catch {
            logger.error("no client of cell \(cell)", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    private func reload() {
        let now = clock().monotonic
        guard nextRead <= now else { return }
        nextRead = now.advanced(by: Self.readInterval)
        do throws(RuntimeError) {
            try connections?.reload()
        } catch {
            logger.error(
                "the list of cells cannot be read; the previous one remains", metadata: ["reason": "\(error)"]
            )
        }
    }

    /// The cell of a token; that of the own fleet for a token without a name, and nil without cells.
    func cell(of shown: CellName?) -> CellName? { connections.map { shown ?? $0.first } }

    func isListed(_ cell: CellName) -> Bool { connections?.list[cell] != nil }

    /// Runs work that needs no session, in the cell that the controllers name. Throws `refused` with `moved`
    /// for an unknown cell, and if the controllers do not agree on one.
    nonisolated func withoutSession<Value: Sendable>(
        _ work: @Sendable (FleetClient) async throws(FleetError) -> Value
    ) async throws(FleetError) -> Value {
        var client = own
        for _ in 0..<Self.mostMoves {
            do throws(FleetError) {
                return try await work(client)
            } catch {
                guard case .refused(.moved(let cell)) = error, let next = await self.client(of: cell) else {
                    throw error
                }
                client = next
            }
        }
        return try await work(client)
    }

    func close() async {
        for client in clients.values where client !== own { await client.close() }
        clients = [:]
    }
}
