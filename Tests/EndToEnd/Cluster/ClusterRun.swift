import DeviceLogs
import FleetClient
import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing

/// Several cells under load and faults, followed by the checks.
///
/// A step is a method for a case of ``ClusterPlan/Step``: it causes a fault or a change, measures its effect,
/// and returns when the installation should be whole again.
final class ClusterRun {
    static let clock = ContinuousClock()
    /// The maximum time after a step until every device is online and a toggle succeeds in every cell.
    private static let healedWithin = Duration.seconds(15)

    let cluster: Cluster
    let plan: ClusterPlan
    /// By the name of the cell, one client for each tester.
    private(set) var clients: [String: [TortureClient]] = [:]
    /// The user of the page of each cell, in the order of the cells.
    let pages: [TorturePage]
    var generator: SeededGenerator
    var figures = ClusterFigures()
    /// The number of users that steps have created.
    var users = 0
    private var violations: [Violation] = []
    private var diary: [String] = []

    private init(_ cluster: Cluster) {
        (self.cluster, plan) = (cluster, cluster.plan)
        generator = SeededGenerator.derived(seed: cluster.plan.seed, purpose: 1)
        pages = cluster.cells.enumerated().map { index, cell in
            let gateways = cluster.pageGateways
            return TorturePage(
                of: index.isMultiple(of: 2) ? gateways : gateways.reversed(),
                as: {
                    let session = try cell.session()
                    return CellToken(session.token, in: session.cell)
                }, cell.history, isRushed: cell.isRushed, seed: cluster.plan.seed)
        }
    }

    /// Runs a plan to its end.
    static func run(_ plan: ClusterPlan) async throws -> ClusterReport {
        let report = Box<ClusterReport>()
        try await Cluster.with(plan) { report.value = try await ClusterRun($0).run() }
        return try #require(report.value)
    }

    private func run() async throws -> ClusterReport {
        let start = Self.clock.now
        var last: [String: LastRequests] = [:]
        try await cluster.withClients { clients in
            self.clients = clients
            try await load()
            for (cell, page) in zip(cluster.cells, pages) {
                let requests = LastRequests(of: try self.clients(of: cell))
                last[cell.name] = requests
                await requests.resolve(except: page.ends.keys)
                try await requests.finish(seed: plan.seed)
            }
        }
        try await cluster.end()
        for (cell, page) in zip(cluster.cells, pages) {
            violations += try judge(cell, page, #require(last[cell.name]))
        }
        let histories = Dictionary(uniqueKeysWithValues: cluster.cells.map { ($0.name, $0.history.all) })
        violations += figures.violations(of: plan, in: histories)
        return ClusterReport(
            plan: plan, took: Self.clock.now - start, histories: histories, figures: figures,
            violations: violations, diary: diary)
    }

    private func judge(_ cell: ClusterCell, _ page: TorturePage, _ last: LastRequests) -> [Violation] {
        let log = cell.durability == "none" ? nil : cell.deviceLog
        if let log { last.judgeShown(log.states) }
        var judge = Judge(cell.history.all, log)
        return
            (last.violations + judge.violations()
            + TorturePage.contradictions(of: page.ends, in: cell.history.all).prefix(10))
            .map { Violation(promise: $0.promise, text: "\(cell.name): \($0.text)") }
    }

    // MARK: Load

    /// Clients toggle while the steps are performed, and until enough toggles were acknowledged.
    private func load() async throws {
        let isOver = Box<Bool>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, cell) in cluster.cells.enumerated() {
                let clients = try clients(of: cell)
                for worker in 0..<plan.togglesPerCell {
                    let client = clients[worker % clients.count]
                    let seed = SeededGenerator.mixed(plan.seed &+ UInt64(100 * index + worker))
                    group.addTask {
                        await client.work(seed: seed) { isOver.value == true || Task.isCancelled }
                    }
                }
                group.addTask { [page = pages[index]] in
                    try await page.work(on: clients[0].devices, number: UInt64(index)) {
                        isOver.value == true || Task.isCancelled
                    }
                }
            }
            await beCalm(for: plan.calm)
            for step in plan.script(using: &generator) { try await perform(step) }
            let timeout = Duration.seconds(60) + .milliseconds(plan.acknowledged * 20)
            let took = await Pace.look(for: timeout.slowed) {
                cluster.cells.reduce(0) { $0 + $1.history.acknowledged } >= plan.acknowledged
            }
            if took == nil { fail(.recovery, "fewer than \(plan.acknowledged) toggles were acknowledged") }
            isOver.value = true
            try await group.waitForAll()
        }
    }

    private func perform(_ step: ClusterPlan.Step) async throws {
        log("\(step)")
        switch step {
        case .controllerLost: try await loseController(of: try randomCell())
        case .nodeLost: try await loseNode()
        case .gatewayLost: try await loseGateway()
        case .controllerFrozen: try await freezeController(of: try randomCell())
        case .nodesCut: try await cutNodes()
        case .networkLossy: try await disturbNetwork()
        case .cellAdded: try await addCell()
        case .directoryDisturbed: try await disturbDirectory()
        case .accountMoved: try await moveAccount(of: try randomCell())
        }
        log("over")
        figures.steps[step, default: 0] += 1
        await heal(after: step)
        await beCalm(for: plan.gap)
    }

    /// Waits until every device is online, and a new toggle has succeeded in each cell.
    private func heal(after step: ClusterPlan.Step) async {
        let start = Self.clock.now
        for cell in cluster.cells {
            let took = await Pace.look(for: Self.healedWithin.slowed) {
                guard cell.history.firstSuccess(after: start) != nil else { return false }
                return await onlineDevices(of: cell) == cell.devices
            }
            if took == nil {
                fail(.recovery, "\(cell.name), \(step): not every device is online, or no toggle succeeds")
            }
        }
    }

    /// A time without faults, with whose latencies those of other times are compared.
    func beCalm(for duration: Duration) async {
        let start = Self.clock.now
        await Pace.wait(duration)
        figures.calm.append(start..<Self.clock.now)
    }

    // MARK: Access for the steps

    func clients(of cell: ClusterCell) throws -> [TortureClient] { try #require(clients[cell.name]) }

    /// The number of a cell's devices that are online; nil if the controller does not answer.
    func onlineDevices(of cell: ClusterCell) async -> Int? {
        guard let client = clients[cell.name]?.first?.client else { return nil }
        return (try? await client.status(timeout: .seconds(1))).map { Int($0.online) }
    }

    /// A cell; of a plan with cells without durability, one of those.
    private func randomCell() throws -> ClusterCell {
        let candidates = cluster.cells.filter {
            plan.volatileCells.isEmpty || plan.volatileCells.contains($0.name)
        }
        return try #require(candidates.randomElement(using: &generator))
    }

    /// Makes the clients of a cell omit their pauses for a moment, so that many requests are in flight.
    func rush(_ cell: ClusterCell) async {
        cell.isRushed.value = true
        await Pace.wait(.milliseconds(Int64.random(in: 50...250, using: &generator)))
    }

    func log(_ text: String) {
        var other = SeededGenerator(seed: 0)
        let id = RequestID(at: SystemClock().now().wall, using: &other)
        diary.append("\(id.description.prefix(13)) \(text)")
        print("cluster: \(text)")
    }

    func fail(_ promise: Violation.Promise, _ text: String) {
        violations.append(Violation(promise: promise, text: text))
    }
}
