import FleetProtocol

/// The size of a run over several cells, and its steps.
struct ClusterPlan: Sendable {
    /// A fault, or a change of the installation, under load; each is judged.
    enum Step: Hashable, CaseIterable, Sendable {
        /// The host of a controller is lost, and another one mounts its volume.
        case controllerLost
        case nodeLost
        case gatewayLost
        /// A controller is frozen while another host mounts its volume, and then continues.
        case controllerFrozen
        /// Half of the nodes are cut off.
        case nodesCut
        /// Every link loses and delays packets.
        case networkLossy
        /// A cell is added to three.
        case cellAdded
        /// The links between controllers lose, delay and reorder packets while users log in.
        case directoryDisturbed
        /// An account is moved to another cell, and back.
        case accountMoved

        /// Whether a host is lost in it.
        var isLoss: Bool { [.controllerLost, .nodeLost, .gatewayLost].contains(self) }
    }

    /// The seed of all randomness.
    let seed: UInt64
    /// The number of each step.
    var steps: [Step: Int]
    /// The duration of a cut, and of losses and delays on all links.
    var cut: Duration
    var lossy: Duration
    /// The time without a fault before the first step, with which latencies during a loss are compared.
    var calm: Duration
    /// The time without a fault between two steps.
    var gap: Duration
    /// The number of acknowledged toggles, of all cells together, before the run may end.
    var acknowledged: Int
    /// The number of log-ins at each cell while directories are disturbed, for each user.
    var logIns: Int
    /// Toggles that the clients of a cell have in flight together.
    var togglesPerCell = 6
    /// The cells without durability.
    var volatileCells: Set<String> = []

    /// About a minute.
    static func small(seed: UInt64) -> ClusterPlan {
        var steps = Dictionary(uniqueKeysWithValues: Step.allCases.map { ($0, 1) })
        steps[.controllerLost] = 2
        return ClusterPlan(
            seed: seed, steps: steps, cut: .seconds(10), lossy: .seconds(3), calm: .seconds(2),
            gap: .milliseconds(500),
            acknowledged: 1_000, logIns: 1, togglesPerCell: 2)
    }

    /// Ten minutes and more.
    static func full(seed: UInt64) -> ClusterPlan {
        ClusterPlan(
            seed: seed,
            steps: [
                .controllerLost: 15, .nodeLost: 10, .gatewayLost: 8, .controllerFrozen: 4, .nodesCut: 1,
                .networkLossy: 1, .cellAdded: 1, .directoryDisturbed: 2, .accountMoved: 5,
            ],
            cut: .seconds(30), lossy: .seconds(20), calm: .seconds(10), gap: .seconds(1),
            acknowledged: 100_000, logIns: 5)
    }

    /// Losses of the controller of a cell without durability.
    static func control(seed: UInt64) -> ClusterPlan {
        var plan = small(seed: seed)
        plan.steps = [.controllerLost: 3]
        plan.acknowledged = 500
        plan.volatileCells = ["c1"]
        return plan
    }

    /// The number of hosts that are lost.
    var losses: Int { steps.filter(\.key.isLoss).values.reduce(0, +) }

    /// The steps in the order of their occurrence.
    func script(using generator: inout SeededGenerator) -> [Step] {
        Step.allCases.flatMap { Array(repeating: $0, count: steps[$0] ?? 0) }.shuffled(using: &generator)
    }
}
