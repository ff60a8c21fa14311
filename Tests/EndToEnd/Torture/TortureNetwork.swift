import FleetProtocol
import SystemPackage
import TestSupport
import Testing

/// The hosts of a fleet, each with a relay through which its programs reach the controller.
struct TortureNetwork: Sendable {
    /// The first of the fleet's ports, at the server and at each relay.
    static let port = 7_600
    static let ports = 5
    /// The name of the controller's host.
    static let server = "server"
    /// The name of the host of observers and of the test process.
    static let clients = "clients"

    let hosts: HostLab
    /// By the name of the host.
    let relays: [String: FaultProgram]

    /// The address at which each host reaches the controller.
    var address: String { "tcp://\(relays.isEmpty ? Self.server : "127.0.0.1"):\(Self.port)" }

    /// Creates hosts, and removes them in any case.
    ///
    /// - Parameter isRelayed: Whether each host but the server has a relay.
    static func with(
        nodes: [String], seed: UInt64, executables: FilePath = Lab.products, isRelayed: Bool = true,
        _ body: @escaping @Sendable (TortureNetwork) async throws -> Void
    ) async throws {
        try await HostLab.withHosts([server] + nodes + [clients], executables: executables, seed: seed) {
            lab in
            try await addRelays(to: lab, of: isRelayed ? lab.hosts.dropFirst() : [], [:], seed: seed, body)
        }
    }

    private static func addRelays(
        to lab: HostLab, of hosts: ArraySlice<Host>, _ relays: [String: FaultProgram], seed: UInt64,
        _ body: @escaping @Sendable (TortureNetwork) async throws -> Void
    ) async throws {
        guard let host = hosts.first else {
            return try await body(TortureNetwork(hosts: lab, relays: relays))
        }
        let arguments = [
            "relay", "--listen", "127.0.0.1:\(port)", "--to", "\(server):\(port)", "--ports", "\(ports)",
            "--seed", "\(seed &+ UInt64(host.number))",
        ]
        try await FaultProgram.with(arguments, entry: host.entry) { relay in
            let relays = relays.merging([host.name: relay]) { $1 }
            try await addRelays(to: lab, of: hosts.dropFirst(), relays, seed: seed, body)
        }
    }

    /// Causes a fault at a random host for a random time.
    ///
    /// - Parameter begun: Called once it has begun.
    /// - Returns: What it was, for the sequence of events.
    func strike(
        _ fault: NetworkFault, using generator: inout SeededGenerator, begun: () -> Void
    ) async throws -> String {
        let longest = Int64(fault.longest / .milliseconds(1))
        let duration = Duration.milliseconds(Int64.random(in: 100...longest, using: &generator))
        switch fault {
        case .host(let fault):
            let host = try #require(candidates(for: fault).randomElement(using: &generator))
            try await hosts.begin(fault, at: host)
            begun()
            await Pace.wait(duration)
            try await hosts.end(fault, at: host)
            return "\(host.name) for \(duration)"
        case .relay(let fault):
            let name = try #require(relays.keys.sorted().randomElement(using: &generator))
            let command = fault.command(using: &generator)
            try relays[name]?.perform(command)
            begun()
            await Pace.wait(duration)
            try relays[name]?.perform("pass")
            return "\(name): \(command) for \(duration)"
        }
    }

    /// The hosts at which a fault can occur.
    private func candidates(for fault: HostFault) -> [Host] {
        switch fault {
        // Its name is the one that the others resolve.
        case .moved: hosts.hosts.filter { $0.name == Self.server }
        // The test process has the machine's clock.
        case .clockAhead, .clockBehind: hosts.hosts.dropLast()
        case .partition, .mute, .deaf, .blackhole, .lossy, .reordered, .duplicated, .narrow, .smallPackets:
            hosts.hosts
        }
    }

    /// What the forwarder and the relays have done so far.
    func counts() throws -> String {
        let texts = try relays.sorted { $0.key < $1.key }.map {
            "\($0.key): \(try $0.value.perform("counts"))"
        }
        return "packets: \(try hosts.forwarder.perform("counts")); connections: "
            + texts.joined(separator: "; ")
    }
}
