import ArgumentParser
import Bus
import FleetClient
import FleetProtocol
import Glibc
import ProcessSupport
import Subprocess
import SystemPackage
import UserText

struct InviteCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "join-command",
        abstract: "Print the command with which another machine joins the fleet.",
        discussion: """
            The command has a join token that one machine can use, within an hour. Treat it as a password \
            until then. The machine makes its own key, which never leaves it.

            EXAMPLES
              fleet join-command node --devices 10000
              fleet join-command observer --name wallboard
              fleet join-command client --host fleet.example.org
            """)

    @OptionGroup var peer: PeerOptions

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let files = try PeerFiles(of: try surroundings.ownFleet(peer.runDirectory))
        let address = try peer.address(of: files)
        let serverKey = try files.serverKeys().publicKey
        let token = PeerFiles.makeToken()
        let invited = try peer.admit(
            { $0.tokenDigest = PeerFiles.digest(of: token) }, to: files, in: surroundings)
        try files.show(secretOf: invited, in: surroundings) {
            try surroundings.print(
                "\(Program.fleet.command) join \(address) --server-key \(serverKey) "
                    + "--token \(token.bytes.hexadecimal)")
        }
        let devices = invited.range.map { " with \(Count.of(Int($0.count), "device"))" } ?? ""
        surroundings.notify(
            "fleet: run this on the other machine within an hour; it joins as \(invited.role.name) "
                + "\(invited.name)\(devices)")
        return .done
    }
}

struct JoinCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Join a fleet on another machine, and start this one's node.",
        discussion: """
            `fleet join-command` prints the whole command on the fleet's machine: paste it here. The run \
            directory stores \
            the key of this machine; later commands there reach the fleet over the network. A node runs until \
            Ctrl-C, or in the background with --detach; start it again with `device-sim run`.

            EXAMPLES
              fleet join-command node --devices 1000
              fleet login demo@sensibus.local
            """)

    /// The wait for the fleet's reply.
    private static let timeout = Duration.seconds(10)
    /// The time for the node to leave the fleet, from SIGTERM to SIGKILL.
    private static let grace = Duration.seconds(1)

    @Argument(
        help: .value("tcp://HOST:PORT", "The address of the fleet."), transform: { try NetworkAddress($0) })
    var address: NetworkAddress

    @Option(
        help: .value("key", "The key of the fleet."),
        transform: {
            try CurvePublicKey(hexadecimal: $0).orInvalid("--server-key: expected 64 hexadecimal digits")
        })
    var serverKey: CurvePublicKey

    @Option(
        help: "The join token.",
        transform: { try Token(hexadecimal: $0).orInvalid("--token: expected 64 hexadecimal digits") })
    var token: Token

    @Option(
        name: .customLong("run-dir"),
        help: .value(
            "directory",
            "The directory for the key and for a node's files (default: SENSIBUS_RUN_DIR, else .sensibus)."))
    var runDirectory: String?

    @Flag(name: .customLong("detach"), help: "Run a node in the background.") var detaches = false
    @Flag(name: .customLong("no-start"), help: "Do not start a node.") var startsNothing = false

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let directory = surroundings.runDirectory(named: runDirectory)
        try directory.create()
        let file = NetworkMembership.file(in: directory)
        if let former = try NetworkMembership.read(from: file) {
            try await checkRevoked(former, in: directory, file: file)
            surroundings.notify("fleet: \(former.address) does not admit the former key: replacing it")
        }
        guard access(directory.storeFile, F_OK) != 0 else {
            throw CommandFailure(
                .refused, "\(directory) is the run directory of a fleet of this machine",
                advice: "use another --run-dir, or the fleet's own commands would go to the other machine")
        }
        surroundings.notify("fleet: joining \(address)")
        let draft = try JoinDraft(in: directory)
        let rights = try await rights(of: draft.keys)
        let membership = NetworkMembership(
            address: address, serverKey: serverKey, keys: draft.keys, rights: rights)
        try membership.write(to: file)
        try draft.remove()
        surroundings.notify("fleet: joined \(address) as \(rights.role.name) \(rights.name)")
        guard rights.role == .node else {
            surroundings.notify(advice(for: rights.role, in: directory))
            return .done
        }
        guard !startsNothing else { return .done }
        return try await start(rights.name, in: directory, surroundings)
    }

    /// Fails unless the fleet does not admit a key any more: a new one then keeps the memory of the devices.
    private func checkRevoked(
        _ former: NetworkMembership, in directory: RunDirectory, file: String
    ) async throws(CommandFailure) {
        guard await NetworkFacts.check(FleetConnection(of: directory, as: former)) != .denied else { return }
        throw CommandFailure(
            .refused,
            "this machine has joined the fleet at \(former.address) as \(former.rights.name) already",
            advice: "use another --run-dir, or remove \(file)")
    }

    private func rights(of keys: CurveKeyPair) async throws -> Membership {
        let reply = try await JoinClient.ask(
            token, at: try address.endpoint(of: .join), security: .client(server: serverKey, keys: keys),
            timeout: Self.timeout)
        switch reply {
        case .membership(let rights): return rights
        case .refusal(let refusal):
            throw CommandFailure(
                ExitStatus(refusal), "the fleet at \(address) refused: \(refusal.explanation)",
                advice: "run `fleet join-command` again on its machine")
        case nil:
            throw CommandFailure(
                .absent, "no answer from \(address) within \(DurationText.text(Self.timeout))",
                advice:
                    "check that it listens there, that five ports from \(address.port) on are open, and that "
                    + "--server-key is the one that `fleet join-command` printed"
            )
        }
    }

    private func advice(for role: PeerRole, in directory: RunDirectory) -> String {
        let place = place(of: directory)
        let logIn = "fleet: log in with `fleet login EMAIL\(place)`, then run"
        return switch role {
        case .gateway: "fleet: start it with `gateway serve\(place)`"
        case .client: "\(logIn) `fleet devices\(place)`, `fleet toggle` and other commands"
        case .observer, .node: "\(logIn) `observer\(place)`"
        }
    }

    private func place(of directory: RunDirectory) -> String {
        runDirectory == nil ? "" : " --run-dir \(directory)"
    }

    /// Runs the node until it ends, or leaves it in the background.
    private func start(
        _ name: NodeName, in directory: RunDirectory, _ surroundings: Surroundings
    ) async throws -> ExitStatus {
        let executable = FilePath("\(surroundings.executableDirectory)/device-sim")
        let arguments = Arguments(["run", "--run-dir", directory.path])
        guard detaches else {
            let ended = try await surroundings.untilStopped {
                try await Subprocess.run(
                    .path(executable), arguments: arguments, platformOptions: .stopping(within: Self.grace),
                    input: .none, output: .currentStandardOutput, error: .currentStandardError
                ).terminationStatus
            }
            return ended?.isSuccess ?? true ? .done : .refused
        }
        var options = PlatformOptions()
        options.createSession = true
        let log = directory.logFile(of: name.text)
        let descriptor = FileDescriptor(
            rawValue: try OwnFile.open(log, FileDescriptor.AccessMode.writeOnly.rawValue | 0o2000 | 0o100))
        _ = try await Subprocess.run(
            .path(executable), arguments: arguments, platformOptions: options, input: .none,
            output: .fileDescriptor(descriptor, closeAfterSpawningProcess: false),
            error: .fileDescriptor(descriptor, closeAfterSpawningProcess: true)
        ) { execution in
            try surroundings.print(
                "\(name) runs in the background, pid \(execution.processIdentifier.value); its log is \(log)\n"
                    + "stop it with `fleet down\(place(of: directory))`")
            // `run` would wait for the exit of the node, which must outlive this process.
            surroundings.leave(.done)
        }
        return .done
    }
}

/// The keys of a machine that is joining, stored before the request so that it can be repeated.
struct JoinDraft {
    let keys: CurveKeyPair
    private let file: PrivateFile

    /// Reads the keys of an attempt whose reply was lost, or makes and stores new ones.
    init(in directory: RunDirectory) throws {
        file = PrivateFile(path: RunFile.joinKey.path(in: directory))
        if let stored = try file.read(),
            let secret = Token(hexadecimal: String(decoding: stored, as: UTF8.self))
        {
            keys = try CurveKeyPair(secretKey: secret.bytes)
        } else {
            keys = try .generate()
            try file.replace(with: Array(keys.secretKey.hexadecimal.utf8))
        }
    }

    /// Removes the file, because the key is stored with its rights.
    func remove() throws(RuntimeError) { try file.remove() }
}
