import FleetClient
import FleetProtocol
import Foundation
import Glibc
import ProcessSupport
import TestSupport
import Testing

/// Losses of hosts, and a controller that was replaced while it did not run.
extension ClusterRun {
    private static let succeededWithin = Duration.seconds(15)
    private static let endedWithin = Duration.seconds(10)

    /// Loses the host of a controller; the spare one mounts the volume, and the lost one starts it in vain.
    func loseController(of cell: ClusterCell) async throws {
        await rush(cell)
        let lost = cell.host
        let start = Self.clock.now
        try await cluster.hosts.lose(lost)
        cell.isRushed.value = false
        await Pace.wait(.milliseconds(Int64.random(in: 300...2_500, using: &generator)))
        let mounted = Self.clock.now
        try await cluster.mountOnSpare(cell)
        if let took = await firstToggle(of: cell, after: mounted) { figures.firstToggles.append(took) }
        figures.losses.append((cell.name, start..<Self.clock.now))
        figures.lostHosts["controller", default: 0] += 1
        try await cluster.hosts.restore(lost)
        try await expectRefusal(of: cell, on: lost)
    }

    /// The time from the mount of a volume to the first success of a toggle that was sent after it.
    private func firstToggle(of cell: ClusterCell, after mounted: ContinuousClock.Instant) async -> Duration?
    {
        _ = await Pace.look(for: Self.succeededWithin.slowed) {
            cell.history.firstSuccess(after: mounted) != nil
        }
        let took = cell.history.firstSuccess(after: mounted)
        if took == nil { fail(.recovery, "\(cell.name): no toggle succeeds after its volume was mounted") }
        log("\(cell.name): first toggle \(String(describing: took)) after the mount on \(cell.host.name)")
        return took
    }

    /// Starts the controller on a host that no longer has the volume: it must end.
    private func expectRefusal(of cell: ClusterCell, on host: Host) async throws {
        let owner = try #require(cell.controller)
        let timeout = Self.endedWithin.slowed
        let second = try await cell.lab(on: host).run("controller", cell.serve) { process in
            let took = await Pace.look(for: timeout) { !TortureFleet.isAlive(process) }
            if took == nil { kill(process, SIGKILL) }
        }
        if second.status != 1 || !second.talk.contains("is held by process \(owner)") {
            fail(.processes, "\(cell.name) on \(host.name) ended with \(second.status): \(second.talk)")
        }
        if cell.controller != owner { fail(.processes, "\(cell.name): a second controller ended the first") }
        figures.refusedControllers += 1
    }

    /// Loses the host of a node, and starts the node again.
    func loseNode() async throws {
        let (host, cell) = try #require(cluster.nodes.randomElement(using: &generator))
        await rush(cell)
        try await cluster.hosts.lose(host)
        cell.isRushed.value = false
        figures.lostHosts["node", default: 0] += 1
        // Long enough for its devices to be lost in some cases.
        await Pace.wait(.milliseconds(Int64.random(in: 0...3_000, using: &generator)))
        try cell.readMemory(of: host)
        try await cluster.hosts.restore(host)
        try await cluster.start(node: host)
        let took = await Pace.look(for: Self.succeededWithin.slowed) {
            await onlineDevices(of: cell) == cell.devices
        }
        if let took { figures.nodesBack.append(took) }
        log("\(host.name): devices online after \(String(describing: took))")
    }

    /// Loses the host of a gateway: users go on at the other one.
    func loseGateway() async throws {
        let index = Int.random(in: cluster.gateways.indices, using: &generator)
        let host = cluster.gateways[index]
        let start = Self.clock.now
        try await cluster.hosts.lose(host)
        figures.lostHosts["gateway", default: 0] += 1
        for (page, cell) in zip(pages, cluster.cells) {
            // Most of their toggles conflict with those of the clients, of which there are many more.
            let took = await Pace.look(for: Self.succeededWithin.slowed) { page.hasOutcome(since: start) }
            if took == nil { fail(.recovery, "\(cell.name): no toggle over HTTP without \(host.name)") }
            log("\(cell.name): toggle over HTTP without \(host.name) after \(String(describing: took))")
        }
        figures.pagesBack.append(Self.clock.now - start)
        try await cluster.hosts.restore(host)
        try await cluster.start(gateway: host)
        let gateway = cluster.pageGateways[index]
        let took = await Pace.look(for: Self.succeededWithin.slowed) {
            await gateway.ask("readyz")?.status == 200
        }
        if took == nil { fail(.recovery, "\(host.name) is not ready after its loss") }
    }

    /// Freezes a controller, lets the spare host mount its volume, and continues the former controller.
    ///
    /// The file locks of the former one have no effect on the other host.
    func freezeController(of cell: ClusterCell) async throws {
        let former = try #require(cell.controller)
        let (cluster, host, log) = (cluster, cell.host, cell.log)
        let (isAnswered, isOver) = (Box<Bool>(), Box<Bool>())
        async let answers = Self.answerTimes(in: cluster, of: cell, at: host, isAnswered: isAnswered) {
            isOver.value == true || Task.isCancelled
        }
        _ = await Pace.look(for: Self.succeededWithin.slowed) { isAnswered.value == true }
        await rush(cell)
        let frozen = Self.clock.now
        kill(former, SIGSTOP)
        defer { if TortureFleet.isAlive(former) { kill(former, SIGCONT) } }
        cell.isRushed.value = false
        await Pace.wait(.milliseconds(Int64.random(in: 500...4_000, using: &generator)))
        let mounted = Self.clock.now
        try await cluster.mountOnSpare(cell, preloading: cluster.noFileLocks)
        if let took = await firstToggle(of: cell, after: mounted) { figures.togglesBesideFrozen.append(took) }
        figures.losses.append((cell.name, frozen..<Self.clock.now))
        kill(former, SIGCONT)
        let took = await Pace.look(for: Self.endedWithin.slowed) { !TortureFleet.isAlive(former) }
        isOver.value = true
        let times = try await answers
        guard let took, try text(of: log).contains("another controller has started") else {
            return fail(.stale, "\(cell.name): the former controller goes on")
        }
        figures.fenced.append(took)
        figures.answersOfFormer.before += times.count { $0 < frozen }
        figures.answersOfFormer.after += times.count { $0 > mounted }
    }

    /// Queries a controller at the address of its host, whatever the cell's name leads to.
    ///
    /// - Parameter isAnswered: Becomes true with the first answer.
    /// - Returns: The times of the answers.
    private static func answerTimes(
        in cluster: Cluster, of cell: ClusterCell, at host: Host, isAnswered: Box<Bool>,
        until isOver: @escaping @Sendable () -> Bool
    ) async throws -> [ContinuousClock.Instant] {
        let address = try NetworkAddress("tcp://\(host.address):\(Cluster.port)")
        return try await cluster.withClient(of: cell, on: cluster.testers[0], at: address, number: 99) {
            client in
            var times: [ContinuousClock.Instant] = []
            while !isOver() {
                if (try? await client.status(timeout: .milliseconds(500))) != nil {
                    times.append(clock.now)
                    isAnswered.value = true
                }
                await Pace.wait(.milliseconds(5))
            }
            return times
        }
    }

    private func text(of file: String) throws -> String { try String(contentsOfFile: file, encoding: .utf8) }
}
