import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing

/// A fleet with its controller, its node and its clients on hosts of their own; attackers are beside clients.
struct BesiegedHosts {
    /// Enough for large replies.
    static let devices = 400
    static let demo = "demo@sensibus.local"
    private static let port = 7_600

    let server: Host
    let clients: Host
    let place: FleetPlace
    /// Memory, and an honest client.
    var besieged: Besieged

    /// Starts the fleet with 1,024 descriptors a process, and ends it in any case.
    ///
    /// - Parameter calm: How long an honest client uses it before.
    static func with(calm: Duration, _ body: (inout BesiegedHosts) async throws -> Void) async throws {
        try await HostLab.withHosts(["server", "node", "clients"], isDisturbable: false) { hosts in
            let (server, node, clients) = (try hosts["server"], try hosts["node"], try hosts.own)
            try await server.lab.upWithFewDescriptors("--no-nodes", "--listen", "tcp://0.0.0.0:\(port)")
            // Raw peers do not resolve names.
            let address = "tcp://\(server.address):\(port)"
            try await node.lab.join(
                server.lab, as: ["node", "--devices", "\(devices)"], at: address, ["--detach"])
            try await clients.lab.join(server.lab, as: ["client", "--name", "clients"], at: address)
            try await server.lab.awaitOnline(devices)
            let place = FleetPlace(
                client: try connection(of: clients.lab), node: try connection(of: node.lab))
            var fleet = BesiegedHosts(
                server: server, clients: clients, place: place,
                besieged: try await Besieged(server.lab, at: place, calm: calm))
            try await fleet.logIn()
            let before = try await server.lab.status()
            try await body(&fleet)
            let after = try await server.lab.status()
            #expect(after.epoch == before.epoch)
            #expect(after.processes.map(\.pid) == before.processes.map(\.pid))
        }
    }

    private static func connection(of lab: Lab) throws -> FleetConnection {
        try FleetConnection(RunDirectory(path: lab.runDirectory))
    }

    /// Logs in as the user of the demo from the host of the clients, with a new program, and out again.
    ///
    /// A user has a limited number of sessions, of which the oldest is the honest client's.
    ///
    /// - Returns: The time it took.
    @discardableResult
    func logIn() async throws -> Duration {
        let password = try server.lab.word("demo-password")
        let start = ContinuousClock.now
        try await clients.lab.succeed("login", Self.demo, "--password-stdin", input: password)
        let took = ContinuousClock.now - start
        try await clients.lab.succeed("logout")
        return took
    }

    /// An honest client toggles, and users log in, as long as an attack lasts.
    ///
    /// - Parameter isOver: Whether the attack, which begins at once, is over.
    /// - Returns: The attack's result, the client's account, and the time of the slowest log-in.
    func use<Value: Sendable>(
        during attack: (_ isOver: Box<Bool>) async throws -> Value
    ) async throws -> (Value, toggles: HonestClient.Account, slowestLogIn: Duration) {
        let ((value, slowest), account) = try await besieged.withHonestClient { isOver in
            async let slowest = slowestLogIn { isOver.value == true }
            let value = try await attack(isOver)
            isOver.value = true
            return (value, try await slowest)
        }
        return (value, account, slowest)
    }

    private func slowestLogIn(until isOver: () -> Bool) async throws -> Duration {
        var slowest = try await logIn()
        while !isOver() {
            await Pace.wait(.seconds(1))
            slowest = max(slowest, try await logIn())
        }
        return slowest
    }
}
