import Bus
import FleetClient
import FleetProtocol
import Foundation
import Glibc
import ProcessSupport
import Synchronization
import TestSupport
import Testing

/// An installation of several cells: each controller, node, gateway and tester has a host of its own.
///
/// A cell is reached by its name, which leads to the host that has mounted its volume.
final class Cluster: Sendable {
    /// The first port of each controller, and the port of each gateway.
    static let port = 7_600
    static let gatewayPort = 8_701
    static let devicesPerNode = 4
    /// The number of nodes of each cell.
    private static let nodes = [2, 1, 1]
    private static let gateways = ["gateway-1", "gateway-2"]
    private static let list = "cells.yaml"
    private static let secret = "cells.secret"

    let hosts: HostLab
    let plan: ClusterPlan
    /// The cells that run from the beginning.
    let cells: [ClusterCell]
    /// The cell that is added to them.
    let newCell: ClusterCell
    let gateways: [Host]
    /// The hosts of the testers; the last one is the test process's.
    let testers: [Host]
    /// A library with which file locks of a process have no effect.
    let noFileLocks: String
    /// The host that mounts the next volume.
    private let spare: Mutex<Host>

    private init(_ hosts: HostLab, _ plan: ClusterPlan, noFileLocks: String) throws {
        (self.hosts, self.plan, self.noFileLocks) = (hosts, plan, noFileLocks)
        let volumes = "\(hosts.directory)/volumes"
        try #require(mkdir(volumes, 0o700) == 0, "errno \(errno)")
        var nodes = (1...Self.nodes.reduce(0, +)).map { "node-\($0)" }[...]
        func cell(_ number: Int, nodes: [Host]) throws -> ClusterCell {
            let name = "c\(number)"
            return try ClusterCell(
                name, on: try hosts["server-\(number)"], volume: "\(volumes)/\(name)", nodes: nodes,
                durability: plan.volatileCells.contains(name) ? "none" : "process")
        }
        cells = try Self.nodes.enumerated().map { index, count in
            defer { nodes = nodes.dropFirst(count) }
            return try cell(index + 1, nodes: try nodes.prefix(count).map { try hosts[$0] })
        }
        newCell = try cell(Self.nodes.count + 1, nodes: [])
        gateways = try Self.gateways.map { try hosts[$0] }
        testers = [try hosts["tester-1"], try hosts.own]
        spare = Mutex(try hosts["spare"])
    }

    /// Creates the hosts, starts all processes, and removes both in any case.
    static func with(_ plan: ClusterPlan, _ body: (Cluster) async throws -> Void) async throws {
        let names =
            (0...nodes.count).map { "server-\($0 + 1)" } + ["spare"]
            + (1...nodes.reduce(0, +)).map { "node-\($0)" } + gateways + ["tester-1", "tester-2"]
        try await HostLab.withHosts(names, seed: plan.seed) { hosts in
            let cluster = try Cluster(
                hosts, plan,
                noFileLocks: try await HostLab.compile("no_file_locks", in: try hosts.own.lab))
            try await cluster.up()
            try await body(cluster)
        }
    }

    /// All nodes with their cells.
    var nodes: [(host: Host, cell: ClusterCell)] {
        cells.flatMap { cell in cell.nodes.map { ($0, cell) } }
    }

    /// The directory of the testers' connection to a cell.
    func testers(of cell: ClusterCell) -> Lab {
        Lab(directory: "\(hosts.directory)/testers-\(cell.name)", executables: cell.lab.executables)
    }

    /// Where the user of a cell opens the page: at one gateway, and if that does not answer, at the other.
    var pageGateways: [TorturePage.Gateway] {
        gateways.map { host in
            TorturePage.Gateway(lab: host.lab) { "http://127.0.0.1:\(Self.gatewayPort)/" }
        }
    }

    // MARK: Start

    private func up() async throws {
        try resolve()
        for cell in cells { try await list(cell) }
        try distributeList()
        for cell in cells {
            try await cell.start(on: cell.host)
            try await cell.logIn()
        }
        for cell in cells { try await connect(cell) }
        for gateway in gateways { try await connect(gateway: gateway) }
    }

    /// Adds a cell to the list.
    private func list(_ cell: ClusterCell) async throws {
        let shown = try await cell.lab.succeed("key", "show", "--run-dir", ".sensibus")
        let key = shown.output.trimmingCharacters(in: .whitespacesAndNewlines)
        try await cell.lab.succeed(
            "cell", "add", cell.name, "--connect", cell.address, "--key", key, "--cells",
            "\(hosts.directory)/\(Self.list)")
    }

    /// Copies the list to all controllers and gateways.
    private func distributeList() throws {
        let others = (gateways + nodes.map(\.host)).map(\.lab.directory)
        for directory in (cells + [newCell]).map(\.volume) + others {
            try copy(Self.list, to: directory)
        }
        for cell in cells + [newCell] { try copy(Self.secret, to: cell.volume) }
    }

    /// Replaces a file of all cells.
    private func copy(_ name: String, to directory: String) throws {
        let mode = name == Self.secret ? 0o600 : 0o644
        let (draft, target) = ("\(directory)/\(name).new", "\(directory)/\(name)")
        try Data(contentsOf: URL(filePath: "\(hosts.directory)/\(name)")).write(to: URL(filePath: draft))
        try #require(chmod(draft, mode_t(mode)) == 0 && rename(draft, target) == 0, "errno \(errno)")
    }

    /// Lets the nodes and the testers of a cell join it.
    private func connect(_ cell: ClusterCell) async throws {
        for node in cell.nodes {
            try await node.lab.join(
                cell.lab, as: ["node", "--devices", "\(Self.devicesPerNode)", "--name", node.name],
                at: cell.address, ["--no-start"])
            try await start(node: node)
        }
        let testers = testers(of: cell)
        try #require(mkdir(testers.directory, 0o700) == 0, "errno \(errno)")
        try await testers.join(cell.lab, as: ["gateway", "--name", "testers"], at: cell.address)
    }

    /// Lets a gateway join the first cell, and the others admit its key.
    private func connect(gateway: Host) async throws {
        try await gateway.lab.join(
            cells[0].lab, as: ["gateway", "--name", gateway.name], at: cells[0].address)
        for cell in cells.dropFirst() { try await admit(gateway, to: cell) }
        try await start(gateway: gateway)
    }

    /// Lets a cell admit the key of a gateway.
    private func admit(_ gateway: Host, to cell: ClusterCell) async throws {
        let directory = RunDirectory(path: gateway.lab.runDirectory)
        let membership = try #require(try FleetConnection(directory).membership)
        let key = membership.keys.publicKey.bytes.hexadecimal
        try await cell.lab.succeed("key", "admit", "gateway", "--name", gateway.name, "--key", key)
    }

    /// Starts a node on its host.
    func start(node: Host) async throws {
        try await node.lab.start("device-sim", ["run", "--cells", Self.list], log: "node.log")
    }

    /// Starts a gateway on its host.
    func start(gateway: Host) async throws {
        try await gateway.lab.start(
            "gateway", ["serve", "--cells", Self.list, "--port", "\(Self.gatewayPort)"], log: "gateway.log")
    }

    // MARK: Changes

    /// Makes the name of each cell lead to its host.
    private func resolve() throws {
        try hosts.resolve((cells + [newCell]).map { ($0.name, $0.host) })
    }

    /// Mounts the volume of a cell on the spare host: the cell's name leads to it, and the controller starts.
    ///
    /// The host that had the volume is the next spare one.
    ///
    /// - Parameter library: A library that the controller preloads.
    func mountOnSpare(_ cell: ClusterCell, preloading library: String? = nil) async throws {
        let former = cell.host
        let host = spare.withLock { spare in
            defer { spare = former }
            return spare
        }
        try await cell.start(on: host, preloading: library)
        try resolve()
    }

    /// Starts the new cell after all have its name and address.
    func addCell() async throws {
        try await list(newCell)
        try distributeList()
        try await newCell.start(on: newCell.host)
        try await newCell.logIn()
        try await connect(newCell)
        for gateway in gateways { try await admit(gateway, to: newCell) }
    }

    /// Ends all processes of nodes and controllers, and reads what the devices did.
    func end() async throws {
        for host in nodes.map(\.host) + (cells + [newCell]).map(\.host) {
            let processes = try await hosts.processes(of: host)
            for process in processes { kill(process, SIGTERM) }
            let took = await Pace.look(for: .seconds(20).slowed) {
                !processes.contains(where: TortureFleet.isAlive)
            }
            try #require(took != nil, "a process of \(host.name) is running after SIGTERM")
        }
        for (node, cell) in nodes { try cell.readMemory(of: node) }
    }
}
