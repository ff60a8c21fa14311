import FleetClient
import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing

/// Changes of the installation, and log-ins at any cell.
extension ClusterRun {
    private static let password = "correct horse battery"
    private static let knownWithin = Duration.seconds(20)
    /// The number of attempts to create an account: each may be refused as busy.
    private static let attempts = 20

    /// Adds a cell while clients toggle and users log in: no request fails, and a new account lands on it.
    func addCell() async throws {
        let start = Self.clock.now
        let logIns = ClusterLogIns(over: clients.compactMapValues { $0.first?.client })
        let demos = try cluster.cells.map(Self.demoUser)
        let isOver = Box<Bool>()
        async let repeated: Void = Self.logIn(demos, logIns) { isOver.value == true }
        try await withCleanup {
            try await cluster.addCell()
            try await awaitKnowledge(of: cluster.cells + [cluster.newCell])
        } cleanup: {
            isOver.value = true
        }
        await repeated
        figures.added = start..<Self.clock.now
        figures.logIns.append(("a cell is added", logIns.counts))
        // It has no devices, so it is the one with the fewest.
        users += 1
        let (user, failed) = try await Self.createAccount(
            users, in: nil, expecting: cluster.newCell, by: cluster.cells[0].lab)
        figures.failedAccounts += failed
        try await logIn([user], at: cluster.cells + [cluster.newCell], "an account of the new cell")
    }

    /// Loses, delays and reorders packets between controllers while accounts are created and users log in.
    func disturbDirectory() async throws {
        let rule = "loss 0.05 reorder 0.2 delay 100 jitter 100"
        let hosts = cluster.cells.map(\.host.number)
        func setRules(_ rule: String) throws {
            for from in hosts {
                for target in hosts where target != from {
                    try cluster.hosts.forwarder.perform("link \(from) \(target) \(rule)")
                }
            }
        }
        try setRules(rule)
        try await withCleanup {
            let users = try await createAccounts(in: cluster.cells)
            for _ in 0..<plan.logIns {
                try await logIn(users, at: cluster.cells, "directories are disturbed")
            }
        } cleanup: {
            try setRules("")
        }
    }

    /// Creates an account in each of some cells, all at the same time.
    private func createAccounts(in cells: [ClusterCell]) async throws -> [ClusterLogIns.User] {
        let first = users + 1
        users += cells.count
        let lab = cluster.cells[0].lab
        let created = try await withThrowingTaskGroup(
            of: (user: ClusterLogIns.User, failed: [String]).self
        ) { group in
            for (index, cell) in cells.enumerated() {
                group.addTask {
                    try await Self.createAccount(first + index, in: cell, expecting: cell, by: lab)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        figures.failedAccounts += created.flatMap(\.failed)
        return created.map(\.user)
    }

    /// Creates an account with its user, as often as it is refused as busy.
    ///
    /// A command without an answer may have been carried out: then the next one finds the email registered,
    /// and the user must be able to log in.
    ///
    /// - Parameters:
    ///   - number: Its number, which is part of its name.
    ///   - cell: The cell that the command names; nil for none.
    ///   - owner: The cell that must have it.
    ///   - lab: Where the command runs.
    /// - Returns: The user, and the messages of commands that failed.
    private static func createAccount(
        _ number: Int, in cell: ClusterCell?, expecting owner: ClusterCell, by lab: Lab
    ) async throws -> (user: ClusterLogIns.User, failed: [String]) {
        let (account, email) = ("hotel-\(number)", "owner-\(number)@example.org")
        let words = ["account", "create", account, "--email", email, "--cells", "cells.yaml"]
        var failed: [String] = []
        var isCreated = false
        while !isCreated {
            let ended = try await lab.fleet(
                words + ["--password-stdin"] + (cell.map { ["--cell", $0.name] } ?? []),
                input: "\(password)\n")
            isCreated =
                ended.status == 0 || !failed.isEmpty && ended.talk.contains("\(email) is already registered")
            if !isCreated { failed.append("\(ended.status): \(ended.talk)") }
            try #require(failed.count < attempts, "fleet account create: \(failed)")
        }
        let user = ClusterLogIns.User(
            email: try #require(Email(email)), password: try #require(Password(password)), account: account,
            cell: owner.name)
        return (user, failed)
    }

    /// Logs users in at each of some cells, at all cells at the same time.
    private func logIn(
        _ users: [ClusterLogIns.User], at cells: [ClusterCell], _ occasion: String
    ) async throws {
        try await withLogIns(at: cells) { logIns in
            await withTaskGroup(of: Void.self) { group in
                for cell in cells {
                    group.addTask { for user in users { await logIns.logIn(user, at: cell.name) } }
                }
            }
            figures.logIns.append((occasion, logIns.counts))
        }
    }

    /// Calls a function with log-ins over the clients of the run, and a client of the new cell if needed.
    private func withLogIns(
        at cells: [ClusterCell], _ work: (ClusterLogIns) async throws -> Void
    ) async throws {
        var own = clients.compactMapValues { $0.first?.client }
        guard cells.contains(where: { $0 === cluster.newCell }) else {
            return try await work(ClusterLogIns(over: own))
        }
        try await cluster.withClient(of: cluster.newCell, on: cluster.testers[0], number: 98) { client in
            own[cluster.newCell.name] = client
            try await work(ClusterLogIns(over: own))
        }
    }

    /// Logs users in, one after another at changing cells.
    private static func logIn(
        _ users: [ClusterLogIns.User], _ logIns: ClusterLogIns, until isOver: @Sendable () -> Bool
    ) async {
        for number in 0... {
            guard !isOver() else { return }
            let user = users[number % users.count]
            await logIns.logIn(user, at: users[number / users.count % users.count].cell)
        }
    }

    private static func demoUser(of cell: ClusterCell) throws -> ClusterLogIns.User {
        let password = try String(contentsOfFile: cell.directory.demoPasswordFile, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        return ClusterLogIns.User(
            email: try #require(Email(cell.email)), password: try #require(Password(password)),
            account: cell.account, cell: cell.name)
    }

    /// A line of `fleet cell list --json`.
    private struct CellLine: Decodable {
        struct Other: Decodable {
            let known: Bool
            let sameCells: Bool
        }

        let others: [Other]?
    }

    /// Waits until each of some cells has the directories of all others.
    private func awaitKnowledge(of cells: [ClusterCell]) async throws {
        let took = try await Pace.look(for: Self.knownWithin.slowed) {
            let lines = try await cells[0].lab.fleet("cell", "list", "--json").lines(CellLine.self)
            return lines.count == cells.count
                && lines.allSatisfy { line in
                    line.others?.count == cells.count - 1
                        && line.others?.allSatisfy { $0.known && $0.sameCells } == true
                }
        }
        if took == nil { fail(.logIns, "not every cell knows the others after one was added") }
    }
}
