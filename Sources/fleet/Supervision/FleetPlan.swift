import FleetProtocol
import ProcessSupport

/// What `fleet up` is to run.
struct FleetPlan: Equatable, Sendable {
    /// How the fleet is shown to whoever started it.
    enum Display: Equatable, Sendable {
        /// On the whole terminal.
        case screen
        /// As plain lines.
        case plain
        /// As JSON, an object a line.
        case json
        /// Not at all.
        case none
    }

    /// The account that a local fleet belongs to.
    static let account: AccountID = {
        guard let account = AccountID("demo") else { preconditionFailure("demo is an account's name") }
        return account
    }()
    /// Devices in one fleet.
    static let deviceLimit = 1_000_000
    /// Nodes in one fleet.
    static let nodeLimit = 64

    /// One node's share of the devices.
    struct Share: Equatable, Sendable {
        /// The node's name.
        let name: String
        /// Its first device's index over the whole fleet.
        let firstIndex: Int
        /// How many devices it hosts.
        fileprivate(set) var devices: Int

        /// The share of a node, the first of which is node 0.
        fileprivate init(node: Int, firstIndex: Int, devices: Int) {
            name = "node-\(node + 1)"
            (self.firstIndex, self.devices) = (firstIndex, devices)
        }

        /// The index behind its last device's.
        var endIndex: Int { firstIndex + devices }
    }

    /// The nodes' shares of the devices, in the order of the indices.
    private(set) var shares: [Share]
    /// What the devices' names, ids and fates follow from.
    let seed: UInt64
    /// What the devices go through: a name, or a file's absolute path.
    private(set) var scenario: String
    /// Whether nodes that die are to be started again; nil where that follows from the scenario.
    let restartWish: Bool?
    /// Whether nodes die by themselves in the scenario.
    private(set) var hasCrashes: Bool
    /// What requests and devices' memory survive.
    let durability: Durability
    /// How long requests are remembered.
    let retention: Retention
    /// Where browsers and programs find the gateway; nil without a gateway.
    let gatewayPort: GatewayPort?
    /// What the scenario that the fleet starts with has the cloud go through.
    let cloudDay: CloudDay
    /// What else the controller is told: how somebody may come in.
    let controllerArguments: [String]
    /// The scenario that the devices' names and places follow from, where it is not what they go through.
    private(set) var population: String?

    /// A plan in which the devices are split over the nodes as evenly as can be.
    ///
    /// - Parameters:
    ///   - restartsNodes: Whether nodes that die are started again; nil: where the scenario has them die.
    ///   - hasCrashes: Whether nodes die by themselves in the scenario.
    /// - Precondition: There are no more nodes than devices.
    init(
        devices: Int, nodes: Int, seed: UInt64, scenario: String, restartsNodes: Bool?,
        hasCrashes: Bool = false, durability: Durability = .process, retention: Retention = Retention(),
        gatewayPort: GatewayPort? = nil, cloudDay: CloudDay = CloudDay(), controllerArguments: [String] = []
    ) {
        precondition(nodes > 0 && nodes <= devices, "\(devices) devices cannot be split over \(nodes) nodes")
        shares = []
        for node in 0..<nodes {
            let count = devices / nodes + (node < devices % nodes ? 1 : 0)
            shares.append(Share(node: node, firstIndex: shares.last?.endIndex ?? 0, devices: count))
        }
        (self.seed, self.scenario) = (seed, scenario)
        restartWish = restartsNodes
        self.hasCrashes = hasCrashes
        self.durability = durability
        self.retention = retention
        self.gatewayPort = gatewayPort
        self.cloudDay = cloudDay
        self.controllerArguments = controllerArguments
    }

    /// Whether nodes that die are started again.
    var restartsNodes: Bool { restartWish ?? hasCrashes }

    /// How many devices.
    var devices: Int { shares.last?.endIndex ?? 0 }

    /// Over how many nodes.
    var nodes: Int { shares.count }

    /// Makes the fleet larger by a node that hosts what is new, or smaller from its end; nobody moves.
    ///
    /// - Precondition: There is a device, and room for another node where there are to be more.
    mutating func scale(to devices: Int) {
        precondition(devices > 0, "a fleet has a device")
        if devices > self.devices {
            precondition(nodes < Self.nodeLimit, "there are \(nodes) nodes already")
            let first = self.devices
            shares.append(Share(node: nodes, firstIndex: first, devices: devices - first))
        }
        shares.removeAll { $0.firstIndex >= devices }
        shares[nodes - 1].devices = devices - shares[nodes - 1].firstIndex
    }

    /// Has nodes that start from now on go through another scenario, and keep the devices they had.
    ///
    /// - Parameter hasCrashes: Whether nodes die by themselves in it.
    mutating func change(to other: String, hasCrashes: Bool) {
        self.hasCrashes = hasCrashes
        population = population ?? scenario
        scenario = other
        if population == scenario { population = nil }
    }

    /// How long the fleet may take until every device has come up: 30 s, and 1 s for each 20,000 devices.
    var patience: Duration { .seconds(30) + .seconds(devices / 20_000) }

    /// The processes, in the order of their start.
    ///
    /// - Parameters:
    ///   - binaries: The directory of the executables.
    ///   - supervisor: The process id that they watch, so as to end with it.
    ///   - secret: With which nodes' tokens are made; nil: each node makes its own.
    func processes(
        in directory: RunDirectory, binaries: String, supervisor: Int32, display: Display,
        secret: NodeSecret? = nil
    ) -> [ProcessPlan] {
        let shared = ["--run-dir", directory.path]
        let watch = ["--supervisor-pid", String(supervisor)]
        let controller = ProcessPlan(
            name: "controller", role: .controller, executable: "\(binaries)/controller",
            arguments: ["serve"] + shared + ["--demo-account", "--durability", durability.rawValue]
                + retention.arguments + controllerArguments + watch,
            stdio: .log(file: directory.logFile(of: "controller")))
        let nodes = shares.map { share in
            ProcessPlan(
                name: share.name, role: .node, executable: "\(binaries)/device-sim",
                arguments: ["run"] + shared + arguments(of: share) + watch,
                stdio: .log(file: directory.logFile(of: share.name)),
                nodeToken: secret.map { token(of: share, with: $0) })
        }
        let observer = Self.flags(of: display).map { flags in
            ProcessPlan(
                name: "observer", role: .observer, executable: "\(binaries)/observer",
                arguments: shared + flags + watch, stdio: display == .screen ? .screen : .inherited)
        }
        let gateway = gatewayPort.map { port in
            ProcessPlan(
                name: "gateway", role: .gateway, executable: "\(binaries)/gateway",
                arguments: ["serve"] + shared + port.arguments + watch,
                stdio: .log(file: directory.logFile(of: "gateway")))
        }
        return [controller] + nodes + [gateway, observer].compactMap { $0 }
    }

    private func token(of share: Share, with secret: NodeSecret) -> Token {
        guard let node = NodeName(share.name) else { preconditionFailure("\(share.name) is a node's name") }
        let range = DeviceRange(
            seed: seed, firstIndex: UInt64(share.firstIndex), count: UInt32(share.devices))
        return secret.grant(range, to: node, of: Self.account).token
    }

    private func arguments(of share: Share) -> [String] {
        [
            "--name", share.name, "--devices", String(share.devices), "--first-index",
            String(share.firstIndex), "--durability", durability.rawValue,
            "--seed", String(seed), "--scenario", scenario, "--account", Self.account.name,
        ] + (population.map { ["--population", $0] } ?? [])
    }

    private static func flags(of display: Display) -> [String]? {
        switch display {
        case .screen: []
        case .plain: ["--plain"]
        case .json: ["--json"]
        case .none: nil
        }
    }
}
