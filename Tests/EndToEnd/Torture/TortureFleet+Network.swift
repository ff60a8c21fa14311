import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing

/// A fleet whose nodes and clients are on other hosts than its controller.
extension TortureFleet {
    private static let joinedWithin = Duration.seconds(20)

    /// The lab and the run directory of a process; those of the controller unless it has a host of its own.
    func place(of name: String) -> (lab: Lab, directory: RunDirectory) {
        guard let host = network?.hosts.hosts.first(where: { $0.name == name }) else {
            return (lab, directory)
        }
        return (host.lab, RunDirectory(path: host.lab.runDirectory))
    }

    /// The place of observers and of the test's own clients.
    var clients: (lab: Lab, directory: RunDirectory) { place(of: TortureNetwork.clients) }

    /// Starts the controller, then each node; all join at the first start.
    func up(over network: TortureNetwork) async throws {
        let up = try await lab.fleet([
            "up", "--detach", "--gateway-port", "0", "--no-nodes", "--listen",
            "tcp://0.0.0.0:\(TortureNetwork.port)", "--durability", plan.durability, "--run-dir",
            directory.path,
        ])
        try #require(up.status == 0, "fleet up: \(up.talk)")
        let devices = "\(TorturePlan.devices / TorturePlan.nodes)"
        for node in Self.nodeNames {
            try await join(node, as: ["node", "--devices", devices], at: network.address)
            try await start(node)
        }
        try await join(TortureNetwork.clients, as: ["client"], at: network.address)
        // The user has logged in on both hosts.
        let session = try Data(contentsOf: URL(filePath: directory.sessionFile))
        try session.write(to: URL(filePath: clients.directory.sessionFile))
        try #require(try await isWhole(within: Self.joinedWithin), "not every node has joined")
    }

    /// Exchanges a token for the rights of a host's key, unless that host has one.
    private func join(_ name: String, as role: [String], at address: String) async throws {
        let (lab, directory) = place(of: name)
        guard !FileManager.default.fileExists(atPath: NetworkMembership.file(in: directory)) else { return }
        try await lab.join(
            self.lab, as: role + ["--name", name], at: address,
            role.first == "node" ? ["--no-start"] : [])
    }

    /// Starts a node on its host.
    func start(_ node: String) async throws {
        let (lab, directory) = place(of: node)
        try await lab.start("device-sim", ["run", "--run-dir", directory.path], log: "node.log")
        try #require(await awaitedProcessID(node) != nil, "\(node) has not started")
    }
}
