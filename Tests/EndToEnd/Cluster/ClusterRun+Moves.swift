import FleetClient
import FleetProtocol
import TestSupport
import Testing

/// Accounts that are moved under load.
extension ClusterRun {
    private static let followedWithin = Duration.seconds(15)
    /// The number of attempts to move an account: one is refused if open requests do not end in time.
    private static let attempts = 5
    /// The number of earlier requests whose outcomes are queried in the other cell.
    private static let queried = 50

    /// Moves the account of a cell to another cell, then back: clients, nodes and the page follow.
    func moveAccount(of cell: ClusterCell) async throws {
        let other = try #require(cluster.cells.filter { $0 !== cell }.randomElement(using: &generator))
        try await move(cell, to: other)
        await queryEarlier(of: cell)
        await beCalm(for: plan.gap)
        try await move(cell, to: cell)
    }

    private func move(_ cell: ClusterCell, to target: ClusterCell) async throws {
        await rush(cell)
        let start = Self.clock.now
        try await order(cell, to: target)
        cell.isRushed.value = false
        let moved = Self.clock.now
        let clients = try clients(of: cell)
        let followed = await Pace.look(for: Self.followedWithin.slowed) {
            guard cell.history.firstSuccess(after: moved) != nil else { return false }
            for one in clients where await one.client.cell?.text != target.name { return false }
            return await onlineDevices(of: cell) == cell.devices
        }
        guard followed != nil else {
            let text = "\(cell.name): not every client and every device has followed to \(target.name)"
            return fail(.recovery, text)
        }
        figures.moved.append((cell.name, start..<Self.clock.now))
        let page = zip(cluster.cells, pages).first { $0.0 === cell }?.1
        let onPage = await Pace.look(for: Self.followedWithin.slowed) {
            page?.hasOutcome(since: moved) == true
        }
        if onPage == nil { fail(.recovery, "\(cell.name): no toggle over HTTP in \(target.name)") }
        log("\(cell.name) in \(target.name): online after \(String(describing: followed))")
    }

    /// Orders a move, again if it was refused because requests were open.
    private func order(_ cell: ClusterCell, to target: ClusterCell) async throws {
        var failed: [String] = []
        while failed.count < Self.attempts {
            let ended = try await cell.lab.fleet(
                "account", "move", cell.account, "--to", target.name, "--cells", "cells.yaml")
            if ended.status == 0 { break }
            failed.append("\(ended.status): \(ended.talk)")
        }
        figures.failedMoves += failed
        try #require(failed.count < Self.attempts, "fleet account move: \(failed)")
    }

    /// Queries outcomes of requests from before a move; the judge compares the answers.
    private func queryEarlier(of cell: ClusterCell) async {
        guard let client = clients[cell.name]?.first else { return }
        let earlier = cell.history.all.filter { $0.isAcknowledged }.shuffled(using: &generator)
        for one in earlier.prefix(Self.queried) {
            let answer = await client.ask(about: one.requestID, of: one.device)
            figures.queriedAfterMoves += 1
            if answer != one.answer {
                fail(.oneEnd, "\(cell.name): \(one.requestID): \(one.answer), after a move \(answer)")
            }
        }
    }
}
