import FleetProtocol

/// The size of a run, and its faults.
struct TorturePlan: Sendable {
    /// A fault of the fleet.
    enum Fault: Hashable, CaseIterable, Sendable {
        case controllerKill
        case nodeKill
        case observerKill
        case gatewayKill
        case freeze
        /// Occurs by chance, together with a freeze.
        case killInFreeze
        case secondController
        case stop
        case fullDisk
        /// Of a fleet over several hosts only.
        case network(NetworkFault)

        static let allCases =
            [
                controllerKill, nodeKill, observerKill, gatewayKill, freeze, killInFreeze, secondController,
                stop, fullDisk,
            ] + NetworkFault.allCases.map(network)

        var name: String {
            switch self {
            case .controllerKill: "controller killed"
            case .nodeKill: "node killed"
            case .observerKill: "observer killed"
            case .gatewayKill: "gateway killed"
            case .freeze: "process frozen"
            case .killInFreeze: "controller killed beside a frozen node"
            case .secondController: "second controller started"
            case .stop: "fleet ended by SIGTERM"
            case .fullDisk: "journal's disk full"
            case .network(let fault): fault.name
            }
        }
    }

    /// The seed of all randomness.
    let seed: UInt64
    /// The number of each fault.
    var faults: [Fault: Int]
    /// The mean time between the end of a fault and the next.
    var meanGap: Duration
    /// The longest freeze; the shortest lasts 0.1 s.
    var longestFreeze: Duration
    /// The number of acknowledged toggles before the run may end.
    var acknowledged: Int
    /// The durability of the fleet.
    var durability = "process"
    /// Toggles that the clients have in flight together.
    var clientToggles = TorturePlan.clients * 2
    /// Users of the gateway's page.
    var pages: UInt64 = 1

    static let clients = 4
    static let devices = 8
    static let nodes = 2
    /// The mean pause of a client.
    static let meanThought = Duration.milliseconds(30)

    /// Half a minute.
    static func small(seed: UInt64) -> TorturePlan {
        TorturePlan(
            seed: seed,
            faults: [
                .controllerKill: 4, .nodeKill: 3, .observerKill: 2, .gatewayKill: 2, .freeze: 3,
                .secondController: 1, .stop: 1, .fullDisk: 1,
            ],
            meanGap: .milliseconds(500), longestFreeze: .seconds(2), acknowledged: 1_000)
    }

    /// Ten minutes and more.
    static func full(seed: UInt64, acknowledged: Int) -> TorturePlan {
        TorturePlan(
            seed: seed,
            faults: [
                .controllerKill: 50, .nodeKill: 50, .observerKill: 50, .gatewayKill: 50, .freeze: 30,
                .secondController: 5, .stop: 20, .fullDisk: 5,
            ],
            meanGap: .seconds(1), longestFreeze: .seconds(5), acknowledged: acknowledged)
    }

    /// A minute over several hosts: faults of each kind.
    static func smallOverHosts(seed: UInt64) -> TorturePlan {
        let network: [NetworkFault] = [
            .host(.blackhole), .host(.lossy), .relay(.reset), .relay(.truncate), .relay(.halfOpen),
        ]
        var plan = small(seed: seed)
        plan.faults = [.controllerKill: 2, .nodeKill: 1, .observerKill: 1, .stop: 1]
        for fault in network { plan.faults[.network(fault)] = 1 }
        return plan
    }

    /// Every fault of the network, that many times.
    static func network(_ times: Int, seed: UInt64) -> TorturePlan {
        var plan = small(seed: seed)
        plan.faults = [:]
        for fault in NetworkFault.allCases { plan.faults[.network(fault)] = times }
        return plan
    }

    /// Half an hour over several hosts: every fault but a second controller on the same one.
    static func fullOverHosts(seed: UInt64, acknowledged: Int) -> TorturePlan {
        var plan = full(seed: seed, acknowledged: acknowledged)
        plan.faults[.secondController] = nil
        for fault in NetworkFault.allCases { plan.faults[.network(fault)] = 10 }
        return plan
    }

    /// Kills of the gateway only, while several users toggle on its page.
    static func gatewayKills(_ count: Int, seed: UInt64) -> TorturePlan {
        TorturePlan(
            seed: seed, faults: [.gatewayKill: count], meanGap: .milliseconds(500),
            longestFreeze: .milliseconds(100), acknowledged: 0, clientToggles: 1, pages: 4)
    }

    /// The planned faults that did not occur, or not as often.
    ///
    /// - Parameter hasDisk: Whether the journal has a disk that can be filled; the report shows if not.
    func missed(_ struck: [Fault: Int], hasDisk: Bool) -> [Violation] {
        Fault.allCases.compactMap { fault in
            let (planned, count) = (faults[fault] ?? 0, struck[fault] ?? 0)
            guard count < planned, fault != .fullDisk || hasDisk else { return nil }
            return Violation(promise: .faults, text: "\(fault.name) \(count) times of \(planned)")
        }
    }

    /// The faults in the order of their occurrence.
    func script(using generator: inout SeededGenerator) -> [Fault] {
        Fault.allCases.flatMap { Array(repeating: $0, count: faults[$0] ?? 0) }.shuffled(using: &generator)
    }
}
