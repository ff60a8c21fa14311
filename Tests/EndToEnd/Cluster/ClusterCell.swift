import DeviceLogs
import Foundation
import Glibc
import ProcessSupport
import Subprocess
import Synchronization
import TestSupport
import Testing

/// A cell of a cluster: its controller, whose volume hosts mount, its nodes, and the answers to its clients.
final class ClusterCell: Sendable {
    private static let startedWithin = Duration.seconds(10)

    private struct State {
        var host: Host
        var devices = DeviceLog()
        var starts = 0
    }

    let name: String
    let durability: String
    /// The directory that is the controller's volume.
    let volume: String
    /// The hosts of its nodes.
    let nodes: [Host]
    let history = History()
    let isRushed = Box<Bool>()
    private let state: Mutex<State>

    init(_ name: String, on host: Host, volume: String, nodes: [Host], durability: String) throws {
        (self.name, self.durability, self.volume, self.nodes) = (name, durability, volume, nodes)
        state = Mutex(State(host: host))
        try #require(mkdir(volume, 0o700) == 0, "\(volume): errno \(errno)")
    }

    /// The host that has mounted the volume.
    var host: Host { state.withLock(\.host) }
    /// What its devices did, as far as their nodes have ended.
    var deviceLog: DeviceLog { state.withLock(\.devices) }
    /// The number of its devices.
    var devices: Int { nodes.count * Cluster.devicesPerNode }
    /// The address at which all others reach it, on any host.
    var address: String { "tcp://\(name):\(Cluster.port)" }
    /// Its demo account.
    var account: String { "demo-\(name)" }
    /// The user of its demo account.
    var email: String { "demo@\(name).sensibus.local" }
    var directory: RunDirectory { RunDirectory(path: "\(volume)/.sensibus") }
    /// The process of its controller; nil if none has started.
    var controller: Int32? {
        let text = try? String(contentsOfFile: directory.lockFile(for: "controller"), encoding: .utf8)
        return text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
            .flatMap { TortureFleet.isAlive($0) ? $0 : nil }
    }

    /// Runs programs beside the controller, in the directory of its volume.
    var lab: Lab { lab(on: host) }

    func lab(on host: Host) -> Lab {
        Lab(
            directory: volume, executables: host.lab.executables, entry: host.entry,
            variables: host.lab.variables)
    }

    /// The words with which its controller starts.
    var serve: [String] {
        [
            "serve", "--run-dir", ".sensibus", "--demo-account", "--durability", durability, "--listen",
            "tcp://0.0.0.0:\(Cluster.port)", "--cells", "cells.yaml", "--cell", name,
        ]
    }

    /// Starts the controller on a host, and returns without waiting until it serves.
    ///
    /// - Parameter library: A library that it preloads.
    func start(on host: Host, preloading library: String? = nil) async throws {
        let number = state.withLock { state in
            state.host = host
            state.starts += 1
            return state.starts
        }
        let log = Self.log(number)
        var lab = lab(on: host)
        if let library {
            let others = lab.variables["LD_PRELOAD"].flatMap(\.self)
            lab.variables["LD_PRELOAD"] = [library, others].compactMap(\.self).joined(separator: ":")
        }
        try await lab.start("controller", serve, log: log)
    }

    /// The file with the log of the last controller.
    var log: String { "\(volume)/\(Self.log(state.withLock(\.starts)))" }

    private static func log(_ number: Int) -> String { "controller-\(number).log" }

    /// Logs in as the demo user as soon as the controller answers.
    func logIn() async throws {
        let took = try await Pace.look(for: Self.startedWithin.slowed) {
            guard FileManager.default.fileExists(atPath: directory.demoPasswordFile) else { return false }
            return try await lab.fleet("login", email, "--password-file", directory.demoPasswordFile).status
                == 0
        }
        try #require(took != nil, "the controller of \(name) does not answer")
    }

    /// The session of the demo user.
    func session() throws -> StoredSession { try StoredSession.read(from: directory.sessionFile) }

    /// Reads the memory of a node that has ended.
    func readMemory(of node: Host) throws {
        let file = RunDirectory(path: node.lab.runDirectory).memoryFile(of: node.name)
        try state.withLock { try $0.devices.read(file) }
    }
}
