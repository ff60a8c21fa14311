import FleetProtocol
import ProcessSupport
import UserText

struct FleetPlan: Equatable, Sendable {
    enum Display: Equatable, Sendable {
        /// The observer's screen, on the whole terminal.
        case screen
        case plain
        /// JSON, an object a line.
        case json
        case none
    }

    static let deviceLimit = 1_000_000
    static let nodeLimit = 64

    struct Share: Equatable, Sendable {
        let name: String
        let firstIndex: Int
        fileprivate(set) var devices: Int

        /// The share of a node, the first of which is node 0.
        fileprivate init(node: Int, firstIndex: Int, devices: Int) {
            name = "node-\(node + 1)"
            (self.firstIndex, self.devices) = (firstIndex, devices)
        }

        /// The index after that of its last device.
        var endIndex: Int { firstIndex + devices }
    }

    struct Gateway: Equatable, Sendable {
        let port: GatewayPort
        /// The command that builds it while the fleet starts; nil for one that is built.
        var build: String?
        /// Further arguments.
        var arguments: [String] = []
        /// The name for which it has a certificate of the fleet's own; nil without one.
        var tlsName: NetworkHost?
    }

    /// The nodes' shares of the devices, in the order of the indices.
    private(set) var shares: [Share]
    /// The number of devices that the fleet was asked for, without those that were added later.
    let startedDevices: Int
    let seed: UInt64
    /// The scenario of the devices: a name, or a file's absolute path.
    private(set) var scenario: String
    /// Whether nodes that die are restarted; nil if the scenario decides.
    let restartOption: Bool?
    private(set) var hasCrashes: Bool
    let durability: Durability
    let retention: Retention
    let gateway: Gateway?
    /// The cloud faults of the scenario that the fleet starts with.
    let cloudDay: CloudDay
    let cell: OwnCell?
    /// Further arguments of the controller, for sign-up and password reset.
    let controllerArguments: [String]
    /// The scenario of the devices' names and sites, if it differs from ``scenario``.
    private(set) var population: String?
    /// The file with the pods that the first devices are; nil without one.
    let pods: [UInt8]?
    /// When the scenario's first day began; nil: each node begins it at its start.
    var dayBeganAt: WallTime?

    /// A plan in which the devices are split over the nodes as evenly as possible. There are no more nodes
    /// than devices; without nodes there are no devices.
    init(
        devices: Int, nodes: Int, seed: UInt64, scenario: String, restartsNodes: Bool?,
        hasCrashes: Bool = false, durability: Durability = .process, retention: Retention = Retention(),
        gateway: Gateway? = nil, cloudDay: CloudDay = CloudDay(), cell: OwnCell? = nil,
        controllerArguments: [String] = [], pods: [UInt8]? = nil
    ) {
        precondition(
            nodes <= devices && (nodes > 0) == (devices > 0),
            "\(devices) devices cannot be split over \(nodes) nodes")
        shares = []
        for node in 0..<nodes {
            let count = devices / nodes + (node < devices % nodes ? 1 : 0)
            shares.append(Share(node: node, firstIndex: shares.last?.endIndex ?? 0, devices: count))
        }
        (self.seed, self.scenario, startedDevices) = (seed, scenario, devices)
        restartOption = restartsNodes
        (self.hasCrashes, self.durability) = (hasCrashes, durability)
        (self.retention, self.gateway, self.cloudDay, self.cell) = (retention, gateway, cloudDay, cell)
        (self.controllerArguments, self.pods) = (controllerArguments, pods)
    }

    var restartsNodes: Bool { restartOption ?? hasCrashes }

    var devices: Int { shares.last?.endIndex ?? 0 }

    var nodes: Int { shares.count }

    /// Adds a node for new devices, or removes devices from the end; the others keep their nodes.
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

    /// Returns the plan with a node for each addition; fails if the nodes or devices would be too many.
    func grown(by register: DeviceRegister) throws(CommandFailure) -> FleetPlan {
        var plan = self
        for count in register.added[startedDevices] ?? [] {
            guard plan.nodes < Self.nodeLimit, plan.devices + count <= Self.deviceLimit else {
                throw CommandFailure(
                    .usage, "devices were added to this fleet, each time with a node: there are too many",
                    advice: "use fewer --nodes or --devices")
            }
            plan.scale(to: plan.devices + count)
        }
        return plan
    }

    /// Changes the scenario for nodes that start later, which keep their devices.
    mutating func change(to other: String, hasCrashes: Bool, dayBeganAt: WallTime?) {
        (self.hasCrashes, self.dayBeganAt) = (hasCrashes, dayBeganAt)
        population = population ?? scenario
        scenario = other
        if population == scenario { population = nil }
    }

    /// The certificate of the gateway in a run directory; nil unless the fleet makes one.
    func certificate(in directory: RunDirectory) -> GatewayCertificate? {
        gateway?.tlsName.map { GatewayCertificate(name: $0, directory: directory) }
    }

    /// Stores the file of the pods in a run directory; without one, removes that of an earlier plan.
    func storePods(in directory: RunDirectory) throws(RuntimeError) {
        let file = PrivateFile(path: RunFile.pods.path(in: directory))
        if let pods { try file.replace(with: pods) } else { try file.remove() }
    }

    /// The timeout until every device has come up: 30 s, and 1 s for each 20,000 devices.
    var timeout: Duration { .seconds(30) + .seconds(devices / 20_000) }

    /// The processes, in the order of their start. They watch the supervisor's process ID, so that they end
    /// with it. Without a secret for tokens, each node creates its own.
    func processes(
        in directory: RunDirectory, binaries: String, supervisor: Int32, display: Display,
        secret: NodeSecret? = nil
    ) -> [ProcessPlan] {
        let shared = ["--run-dir", directory.path]
        let watch = ["--supervisor-pid", String(supervisor)]
        let controller = ProcessPlan(
            name: "controller", role: .controller, executable: "\(binaries)/controller",
            arguments: ["serve"] + shared + ["--demo-account", "--durability", durability.rawValue]
                + retention.arguments + (cell?.arguments ?? []) + controllerArguments + watch,
            stdio: .log(file: directory.logFile(of: "controller")))
        let nodes = shares.map { share in
            ProcessPlan(
                name: share.name, role: .node, executable: "\(binaries)/device-sim",
                arguments: ["run"] + shared + arguments(of: share, in: directory) + watch,
                stdio: .log(file: directory.logFile(of: share.name)),
                nodeToken: secret.map { token(of: share, in: directory, with: $0) })
        }
        let observer = Self.flags(of: display).map { flags in
            ProcessPlan(
                name: "observer", role: .observer, executable: "\(binaries)/observer",
                arguments: shared + flags + watch, stdio: display == .screen ? .screen : .inherited)
        }
        let gateway = gateway.map { gateway in
            ProcessPlan(
                name: "gateway", role: .gateway, executable: "\(binaries)/gateway",
                arguments: ["serve"] + shared + gateway.port.arguments
                    + (certificate(in: directory)?.arguments ?? []) + gateway.arguments + watch,
                stdio: .log(file: directory.logFile(of: "gateway")))
        }
        return [controller] + nodes + [gateway, observer].compactMap { $0 }
    }

    private func token(of share: Share, in directory: RunDirectory, with secret: NodeSecret) -> Token {
        guard let node = NodeName(share.name) else { preconditionFailure("\(share.name) is a node's name") }
        let range = DeviceRange(
            seed: seed, firstIndex: UInt64(share.firstIndex), count: UInt32(share.devices))
        return secret.grant(range, to: node, of: directory.demo.account).token
    }

    private func arguments(of share: Share, in directory: RunDirectory) -> [String] {
        let population = pods == nil ? population : "\(directory.path)/\(RunFile.pods.rawValue)"
        return [
            "--name", share.name, "--devices", String(share.devices), "--first-index",
            String(share.firstIndex), "--durability", durability.rawValue,
            "--seed", String(seed), "--scenario", scenario, "--account", directory.demo.account.name,
        ] + (population.map { ["--population", $0] } ?? [])
            + (dayBeganAt.map { ["--day-began-at", String($0.unixMilliseconds)] } ?? [])
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

enum GatewayPort: Equatable, Sendable {
    /// ``FleetGateway/port``, or the next free port, which the run directory stores.
    case standard
    /// That port only; 0 stands for any free port, used until the fleet ends.
    case fixed(UInt16)

    var arguments: [String] {
        switch self {
        case .standard: ["--port", String(FleetGateway.port), "--or-free-port"]
        case .fixed(let port): ["--port", String(port)]
        }
    }
}

enum FleetGateway {
    /// The default port, unless another program listens there.
    static let port: UInt16 = 8_701

    /// Returns the gateway's URL; nil without a gateway, or if its URL file cannot be read.
    static func url(in directory: RunDirectory) -> String? { try? directory.gatewayURL() }

    static func port(of url: String) -> UInt16? { GatewayURL(url)?.port }

    /// Prints the URLs of the page and of the API.
    static func notify(_ choice: GatewayPort?, from directory: RunDirectory, in surroundings: Surroundings) {
        guard let url = url(in: directory) else { return }
        surroundings.notify("fleet: page at \(url), Sensibo's API at \(url)api/v2")
        notifyMove(choice, from: directory, in: surroundings)
    }

    /// Prints why the gateway listens on another port than ``port``.
    static func notifyMove(
        _ choice: GatewayPort?, from directory: RunDirectory, in surroundings: Surroundings
    ) {
        guard choice == .standard, let url = url(in: directory),
            let actual = self.port(of: url), actual != port
        else { return }
        surroundings.notify(
            "fleet: port \(port) was taken, so the gateway uses port \(actual), now and at later starts"
        )
    }
}
