import FleetClient
import FleetProtocol
import ProcessSupport
import Testing

extension Cluster {
    /// Connects the clients of all cells: of each cell one from each tester's host, which cancels the toggles
    /// of the other.
    func withClients(_ body: ([String: [TortureClient]]) async throws -> Void) async throws {
        try await connect(cells.flatMap { cell in testers.map { (cell, $0) } }[...], [:]) { open in
            var clients: [String: [TortureClient]] = [:]
            for cell in cells {
                let own = try #require(open[cell.name])
                let devices = try await own[0].devices().rows.map(\.device).sorted()
                try #require(devices.count == cell.devices)
                clients[cell.name] = own.indices.map {
                    TortureClient(
                        client: own[$0], other: own[($0 + 1) % own.count], devices: devices,
                        history: cell.history, isRushed: cell.isRushed)
                }
            }
            try await body(clients)
        }
    }

    private func connect(
        _ rest: ArraySlice<(cell: ClusterCell, tester: Host)>, _ open: [String: [FleetClient]],
        _ body: ([String: [FleetClient]]) async throws -> Void
    ) async throws {
        guard let next = rest.first else { return try await body(open) }
        try await withClient(of: next.cell, on: next.tester, number: rest.count) { client in
            var open = open
            open[next.cell.name, default: []].append(client)
            try await connect(rest.dropFirst(), open, body)
        }
    }

    /// Calls a function with a client of a cell's demo user.
    ///
    /// - Parameters:
    ///   - address: Where it connects; nil for the cell's own name.
    ///   - number: Distinguishes its random choices from those of others.
    func withClient<Value: Sendable>(
        of cell: ClusterCell, on tester: Host, at address: NetworkAddress? = nil, number: Int = 0,
        _ work: (FleetClient) async throws -> Value
    ) async throws -> Value {
        let session = try cell.session()
        return try await HostClient.with(
            on: tester, of: try endpoints(of: cell, at: address), name: "\(cell.name) \(tester.name)",
            credentials: session.credentials, seed: plan.seed &+ UInt64(number),
            locate: { [self, cells] name in
                try? cells.first { $0.name == name.text }.map { try endpoints(of: $0) }
            }, work)
    }

    private func endpoints(
        of cell: ClusterCell, at address: NetworkAddress? = nil
    ) throws -> FleetClient.Endpoints {
        let directory = RunDirectory(path: "\(testers(of: cell).directory)/.sensibus")
        var membership = try #require(try FleetConnection(directory).membership)
        if let address { membership.address = address }
        return try FleetConnection(of: directory, as: membership).clientEndpoints
    }
}
