import FleetClient
import FleetProtocol
import TestSupport

/// Faults of the network under load.
extension ClusterRun {
    private static let lostWithin = Duration.seconds(15)
    private static let onlineWithin = Duration.seconds(15)

    /// Cuts one node of two cells off: half of all.
    func cutNodes() async throws {
        let cells = cluster.cells.prefix(2)
        let nodes = cells.map { $0.nodes[0] }
        let start = Self.clock.now
        for node in nodes { try await cluster.hosts.begin(.blackhole, at: node) }
        for cell in cells {
            let took = await Pace.look(for: Self.lostWithin.slowed) {
                await lostDevices(of: cell) == Cluster.devicesPerNode
            }
            guard took != nil else {
                fail(.recovery, "\(cell.name): devices of a node that is cut off are not offline(nodeLost)")
                continue
            }
            figures.nodesLost.append(Self.clock.now - start)
        }
        await Pace.wait(plan.cut - (Self.clock.now - start))
        for cell in cells where await lostDevices(of: cell) != Cluster.devicesPerNode {
            fail(
                .recovery,
                "\(cell.name): devices of a node that is cut off are not offline(nodeLost) any more")
        }
        let end = Self.clock.now
        for node in nodes { try await cluster.hosts.end(.blackhole, at: node) }
        for cell in cells {
            let took = await Pace.look(for: Self.onlineWithin.slowed) {
                await onlineDevices(of: cell) == cell.devices
            }
            if took != nil { figures.nodesOnline.append(Self.clock.now - end) }
        }
    }

    /// The number of a cell's devices that are offline because their node is lost.
    private func lostDevices(of cell: ClusterCell) async -> Int? {
        guard let client = clients[cell.name]?.first?.client,
            let snapshot = try? await client.devices(timeout: .seconds(1))
        else { return nil }
        return snapshot.rows.count { snapshot.presence(of: $0).kind == .offline(.nodeLost) }
    }

    /// Loses 1 % of the packets of every link, and delays all of them by 20 ms.
    func disturbNetwork() async throws {
        let start = Self.clock.now
        try cluster.hosts.forwarder.perform("link * * loss 0.01 delay 20 jitter 2")
        await Pace.wait(plan.lossy)
        try cluster.hosts.forwarder.perform("link * *")
        figures.lossy.append(start..<Self.clock.now)
    }
}
