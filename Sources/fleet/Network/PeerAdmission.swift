import ArgumentParser
import Bus
import FleetProtocol
import ProcessSupport
import UserFiles
import UserText

struct PeerOptions: ParsableArguments {
    @Argument(help: "What it may do.") var role: PeerRole

    @Option(
        help: "Its name, also that of the node (default: the role and a number).",
        transform: { try NodeName($0).orInvalid("'\($0)' is not a name: use 1 to 32 of [A-Za-z0-9._-]") })
    var name: NodeName?

    @Option(help: ArgumentHelp("The number of devices of a node (default: 100).", valueName: "count"))
    var devices: UInt32?

    @Option(
        help: """
            The account to which it is limited (default: demo; of a gateway: all accounts).
            """,
        transform: { try AccountID($0).orInvalid("'\($0)' is not an account's name") })
    var account: AccountID?

    @Option(help: "The ready-made scenario of a node: \(ReadyMadeScenario.names) (default: quiet).")
    var scenario: ReadyMadeScenario?

    @Option(
        help: ArgumentHelp(
            "The host name or address at which other machines reach this one (default: as it listens).",
            valueName: "name"),
        transform: { try NetworkHost($0).orInvalid("'\($0)' is not a host name or address") })
    var host: NetworkHost?

    @OptionGroup var runDirectory: RunDirectoryOption

    func validate() throws {
        try require(role == .node || devices == nil, "--devices: only a node has devices")
        try require(role == .node || scenario == nil, "--scenario: only a node has a scenario")
        if let devices {
            try require(
                1...UInt32(Limits.nodeDevices) ~= devices,
                "--devices \(devices): expected 1 to \(Limits.nodeDevices)"
            )
        }
    }

    /// A new peer with these rights; throws `peerExists` for a name or key in use.
    func admit(
        _ complete: (inout Peer) -> Void, to files: PeerFiles, in surroundings: Surroundings
    ) throws(RuntimeError) -> Peer {
        let cell = try files.directory.cell()?.name
        let seed = try files.directory.seed() ?? cell?.seed ?? 1
        let now = surroundings.now().wall
        return try files.change { list throws(RuntimeError) in
            let name = name ?? list.freeName(for: role)
            var peer = Peer(
                name: name, role: role,
                account: account ?? (role == .gateway ? nil : files.directory.demo.account),
                range: role == .node ? list.freeRange(of: devices ?? 100, seed: seed) : nil,
                scenario: scenario?.rawValue ?? "", since: now)
            complete(&peer)
            try list.add(peer, at: now)
            return peer
        }
    }

    /// The address at which other machines reach the fleet of a run directory; fails if it does not listen.
    func address(of files: PeerFiles) throws -> NetworkAddress {
        guard let listening = try files.directory.networkAddress() else {
            throw CommandFailure(
                .refused, "the fleet in \(files.directory) does not listen on the network",
                advice: "start it with `fleet up --listen tcp://0.0.0.0:\(NetworkAddress.standardPort)`")
        }
        if let host { return try NetworkAddress("tcp://\(host):\(listening.port)") }
        guard listening.isEveryInterface else { return listening }
        return try NetworkAddress("tcp://\(Endpoint.addressOfThisMachine ?? "127.0.0.1"):\(listening.port)")
    }
}

extension PeerFiles {
    func show(secretOf peer: Peer, in surroundings: Surroundings, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            _ = try change { list throws(RuntimeError) in list.remove(peer.name) }
            surroundings.notify("fleet: \(peer.name) was revoked, because its secret could not be written")
            throw error
        }
    }
}
