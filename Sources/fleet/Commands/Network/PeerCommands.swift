import ArgumentParser
import Bus
import FleetProtocol
import FoundationEssentials
import ProcessSupport
import UserFiles
import UserText

struct PeerKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Manage the keys with which programs on other machines connect.",
        discussion: """
            A fleet that listens on the network (`fleet up --listen`) admits only peers whose key it knows. A \
            node's key permits its devices only; a client's sends requests of users, who log in as on this \
            machine; an observer's changes nothing; a gateway's serves a page. Changes take effect at once. \
            `fleet join-command` makes a key without copying a file.

            EXAMPLES
              fleet key generate client --output laptop.json
              fleet key list
              fleet key revoke remote-1
            """,
        subcommands: [
            PeerKeyGenerateCommand.self, PeerKeyAdmitCommand.self, PeerKeyListCommand.self,
            PeerKeyRevokeCommand.self, PeerKeyShowCommand.self,
        ])
}

struct PeerKeyGenerateCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Make a key for another machine, and write it to a file.",
        discussion: """
            Copy the file to the other machine over a secure way, and name it with --key-file there, or store \
            it as membership.json in a run directory. Every program with the file has its rights.

            EXAMPLES
              fleet key generate node --devices 10000 --output attic.json
              fleet key generate client --account demo --output laptop.json
              device-sim run --key-file attic.json
              fleet key generate gateway --output - | ssh host 'umask 077; cat > key.json'
            """)

    @OptionGroup var peer: PeerOptions

    @Option(help: .value("file", "The file to write, which must not exist; - for standard output."))
    var output: String

    private var isPrinted: Bool { output == "-" }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let directory = try surroundings.ownFleet(peer.runDirectory)
        let files = try PeerFiles(of: directory)
        let address = try peer.address(of: files)
        let keys = try CurveKeyPair.generate()
        if !isPrinted { try PrivateFile(path: output).claim() }
        let admitted = try peer.admit({ $0.key = keys.publicKey }, to: files, in: surroundings)
        let membership = NetworkMembership(
            address: address, serverKey: try files.serverKeys().publicKey, keys: keys,
            rights: admitted.rights(with: try directory.nodeSecret()))
        try files.show(secretOf: admitted, in: surroundings) {
            if isPrinted { try surroundings.print(membership.text) } else { try membership.write(to: output) }
        }
        guard !isPrinted else { return .done }
        try surroundings.print(
            "\(admitted.name) is admitted as \(admitted.role.name); its key is in \(output)")
        return .done
    }
}

struct PeerKeyAdmitCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "admit", abstract: "Admit a key that a machine already has, as of another cell.",
        discussion: """
            A machine has one key for all cells: make it in one of them with `fleet key generate`, and admit \
            it in the others. The key is public: `fleet key list --json` prints it.

            EXAMPLES
              fleet key admit gateway --name edge-1 --key edge-1.key
            """)

    @OptionGroup var peer: PeerOptions
    @Option(help: .value("hex|file", "The public key of the machine, or a file with it.")) var key: String

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let files = try PeerFiles(of: try surroundings.ownFleet(peer.runDirectory))
        let key = try surroundings.publicKey(key)
        let admitted = try peer.admit({ $0.key = key }, to: files, in: surroundings)
        try surroundings.print("\(admitted.name) is admitted as \(admitted.role.name)")
        return .done
    }
}

struct PeerKeyShowCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the public key of this fleet, by which others know it.",
        discussion: """
            The first call makes the key, also before the fleet is started. Lists of cells have it: see \
            `fleet cell add`.

            EXAMPLES
              fleet key show --run-dir /srv/sensibus/c1
            """)

    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let named = RunDirectory.named(runDirectory.path, environment: surroundings.environment)
        let directory =
            if let named {
                RunDirectory(path: named, relativeTo: surroundings.workingDirectory)
            } else {
                try surroundings.ownFleet(runDirectory)
            }
        try directory.create()
        try surroundings.print("\(try PeerFiles(of: directory).serverKeys().publicKey)")
        return .done
    }
}

struct PeerKeyListCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the keys of other machines, and open invitations.",
        discussion: """
            EXAMPLES
              fleet key list
              fleet key list --json | jq -r 'select(.role == "node") | .name'
            """)

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let files = try PeerFiles(of: try surroundings.ownFleet(runDirectory))
        let now = surroundings.now().wall
        let peers = try files.peers().peers.filter { !$0.isExpired(at: now) }
        let columns: [TextTable.Column<Peer>] = [
            ("NAME", .left, { $0.name.text }), ("ROLE", .left, { $0.role.name }),
            ("ACCOUNT", .left, { $0.account?.name ?? "all" }),
            ("DEVICES", .right, { $0.range.map { String($0.count) } ?? "-" }),
            ("STATE", .left, { $0.key == nil ? "invited" : "since \(TimeText.iso8601($0.since))" }),
            ("KEY", .left, { $0.key.map { String($0.description.prefix(16)) } ?? "-" }),
        ]
        let list = CommandOutput.list(
            peers, columns, json: \.json,
            absence: "fleet: no keys; add a machine with `fleet join-command`")
        return try await surroundings.show(list, asJSON: json.isWanted)
    }
}

struct PeerKeyRevokeCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke a key: its connections end at once.",
        discussion: """
            The devices of a node go offline. An invitation that was not used yet is revoked likewise.

            EXAMPLES
              fleet key revoke remote-1
            """)

    @Argument(
        help: "The name in `fleet key list`.",
        transform: { try NodeName($0).orInvalid("'\($0)' is not a name: see `fleet key list`") })
    var name: NodeName

    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let files = try PeerFiles(of: try surroundings.ownFleet(runDirectory))
        guard try files.change({ list throws(RuntimeError) in list.remove(name) }) != nil else {
            throw CommandFailure(.notPermitted, "unknown key: \(name)", advice: "see `fleet key list`")
        }
        try surroundings.print("\(name) was revoked")
        return .done
    }
}

extension Surroundings {
    /// The public key of a text: its 64 hexadecimal digits, or the name of a file whose first line has them.
    func publicKey(_ text: String) throws(CommandFailure) -> CurvePublicKey {
        if let key = CurvePublicKey(hexadecimal: text) { return key }
        let line = FileManager.default.contents(atPath: path(of: text)).map {
            WrittenText.firstLine(of: Array($0))
        }
        guard let key = line.flatMap(CurvePublicKey.init(hexadecimal:)) else {
            throw CommandFailure(
                .usage, "--key \(SafeText.of(text)): neither 64 hexadecimal digits nor a file with them",
                advice: "`fleet key show` prints the key of a fleet")
        }
        return key
    }
}

extension Peer {
    fileprivate var json: JSONObject {
        [
            "name": name.text, "role": role.name, "account": account?.name, "devices": range?.count,
            "firstIndex": range?.firstIndex, "key": key?.description, "since": TimeText.iso8601(since),
        ]
    }
}

struct PeerOptions: ParsableArguments {
    @Argument(help: "What it may do.") var role: PeerRole

    @Option(
        help: "Its name, also that of the node (default: the role and a number).",
        transform: { try NodeName($0).orInvalid("'\($0)' is not a name: use 1 to 32 of [A-Za-z0-9._-]") })
    var name: NodeName?

    @Option(help: .value("count", "The number of devices of a node (default: 100).")) var devices: UInt32?

    @Option(
        help: "The account to which it is limited (default: demo; of a gateway: all accounts).",
        transform: { try AccountID($0).orInvalid("'\($0)' is not an account's name") })
    var account: AccountID?

    @Option(help: "The ready-made scenario of a node: \(ReadyMadeScenario.names) (default: quiet).")
    var scenario: ReadyMadeScenario?

    @Option(
        help: .value(
            "name",
            "The host name or address at which other machines reach this one (default: as it listens)."),
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
