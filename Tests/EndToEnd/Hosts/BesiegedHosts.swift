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
            let up = try await server.lab.run(
                "/usr/bin/prlimit",
                [
                    "--nofile=1024:1024", server.lab.executable("fleet"), "up", "--detach", "--no-gateway",
                    "--no-nodes", "--listen", "tcp://0.0.0.0:\(port)",
                ])
            try #require(up.status == 0, "fleet up: \(up.talk)")
            // Raw peers do not resolve names.
            let address = "tcp://\(server.address):\(port)"
            try await node.lab.join(
                server.lab, as: ["node", "--devices", "\(devices)"], at: address, ["--detach"])
            try await clients.lab.join(server.lab, as: ["client", "--name", "clients"], at: address)
            try await server.lab.eventually("the node has joined", within: .seconds(20)) {
                try await server.lab.status().online == devices
            }
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
        try FleetConnection(RunDirectory(path: "\(lab.directory)/.sensibus"))
    }

    /// Logs in as the user of the demo from the host of the clients, with a new program, and out again.
    ///
    /// A user has a limited number of sessions, of which the oldest is the honest client's.
    ///
    /// - Returns: The time it took.
    @discardableResult
    func logIn() async throws -> Duration {
        let password = try String(contentsOfFile: server.lab.file("demo-password"), encoding: .utf8)
        let start = ContinuousClock.now
        let ended = try await clients.lab.fleet(["login", Self.demo, "--password-stdin"], input: password)
        try #require(ended.status == 0, "fleet login: \(ended.talk)")
        let took = ContinuousClock.now - start
        let left = try await clients.lab.fleet("logout")
        try #require(left.status == 0, "fleet logout: \(left.talk)")
        return took
    }

    /// An honest client toggles, and users log in, as long as an attack lasts.
    ///
    /// - Parameter isOver: Whether the attack, which begins at once, is over.
    /// - Returns: The client's account, and the time of the slowest log-in.
    func use(
        during attack: (_ isOver: Box<Bool>) async throws -> Void
    ) async throws -> (toggles: HonestClient.Account, slowestLogIn: Duration) {
        let (slowest, account) = try await besieged.withHonestClient { isOver in
            async let slowest = slowestLogIn { isOver.value == true }
            try await attack(isOver)
            isOver.value = true
            return try await slowest
        }
        return (account, slowest)
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
