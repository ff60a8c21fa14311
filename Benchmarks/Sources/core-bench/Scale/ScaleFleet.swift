import CBench
import CoreParts
import FleetProtocol
import Foundation
import ProcessSupport

/// A controller and its nodes, started one by one in their own run directory.
final class ScaleFleet {
    /// The time in which all devices must come online.
    static let timeout: Double = 120

    let runDirectory: RunDirectory
    let controller: Child
    private(set) var nodes: [Child] = []
    private let executables: String
    private var observers: [Child] = []

    /// Starts a controller, and logs in as the user of the demo account.
    init(_ executables: String, _ name: String, in directory: BenchDirectory) throws {
        self.executables = executables
        runDirectory = RunDirectory(path: directory.file(name))
        controller = try Child(
            "\(executables)/controller", ["serve", "--demo-account", "--run-dir", runDirectory.path])
    }

    /// Starts a fleet, runs a closure with it, and stops it, also after an error.
    static func run<Value>(
        _ executables: String, _ name: String, in directory: BenchDirectory,
        _ work: (ScaleFleet) throws -> Value
    ) throws -> Value {
        let fleet = try ScaleFleet(executables, name, in: directory)
        defer { fleet.end() }
        return try work(fleet)
    }

    /// Starts a node with the devices after the existing ones.
    @discardableResult
    func startNode(devices: Int, from first: Int, with options: [String] = []) throws -> Child {
        let node = try Child(
            "\(executables)/device-sim",
            [
                "run", "--run-dir", runDirectory.path, "--name", "node-\(nodes.count + 1)", "--devices",
                "\(devices)", "--first-index", "\(first)",
            ] + options)
        nodes.append(node)
        return node
    }

    /// Starts an observer that prints plain lines.
    func startObserver() throws -> ObserverLines {
        let pipe = Pipe()
        let observer = try Child(
            "\(executables)/observer",
            ["--plain", "--run-dir", runDirectory.path, "--session", runDirectory.sessionFile], output: pipe)
        observers.append(observer)
        return ObserverLines(of: observer, from: pipe)
    }

    /// Waits until a number of devices is online; returns the seconds since an instant.
    func waitForDevices(_ count: Int, since began: UInt64, asking client: ScaleClient) throws -> Double {
        while true {
            let seconds = Double(bench_now() - began) / 1e9
            if Int(try client.status().online) >= count { return seconds }
            guard seconds < Self.timeout else { throw BenchFailure.noReply }
            usleep(20_000)
        }
    }

    /// Stops all processes.
    func end() {
        for child in observers + nodes + [controller] { child.end() }
    }
}
