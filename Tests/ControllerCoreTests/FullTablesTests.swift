import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Tables of nodes and accounts that are full")
struct FullTablesTests {
    /// Nodes send a hello, each once, on a connection of its own.
    private func fill(
        _ bench: Bench, _ count: Int, round: UInt64 = 1, account: (Int) -> String, node: (Int) -> String
    ) throws {
        for number in 0..<count {
            let hello = NodeHello(
                node: try #require(NodeName(node(number))),
                account: try #require(AccountID(account(number))), devices: 0)
            let bits = round << 32 | UInt64(number)
            let connection = ConnectionID(high: 100, low: bits)
            let message = NodeMessage(
                bootID: BootID(bits: bits), lastNumber: .zero, body: .hello(hello))
            bench.step(.node(connection, message))
            bench.effects = []
        }
    }

    private func knows(_ account: String, _ bench: Bench) throws -> Bool {
        bench.controller.engine.directory.account(try #require(AccountID(account))) != nil
    }

    /// Another node sends a hello; returns whether it was accepted.
    private func isWelcome(
        _ name: String, _ bench: Bench, account: String = "demo", number: UInt64 = 1
    ) -> Bool {
        bench.effects = []
        let connection = ConnectionID(high: 200, low: number)
        bench.hello(name, account: account, boot: BootID(bits: 200 << 32 | number), on: connection)
        return bench.sent(to: connection).contains(.pong(helloWanted: false))
    }

    private func updates(of account: AccountID, _ bench: Bench) -> [StreamUpdate] {
        bench.effects.compactMap { if case .publish(account, let update) = $0 { update } else { nil } }
    }

    private func snapshotNodes(_ bench: Bench) -> [SnapshotChunk.Node] {
        var nodes: [SnapshotChunk.Node] = []
        var cursor: UInt32 = 0
        while true {
            let reply = bench.replies(to: bench.ask(.snapshot(cursor: cursor, end: 0))).last
            guard case .snapshot(let chunk)? = reply else {
                Issue.record("no snapshot")
                return nodes
            }
            nodes += chunk.nodes
            if chunk.isLast { return nodes }
            cursor = chunk.nextCursor
        }
    }

    @Test("a full node table accepts a node after another has left, and keeps nodes with devices")
    func nodes() throws {
        let bench = try Bench.withDevices()
        try fill(bench, Directory.nodesAtMost - 1, account: { _ in "demo" }, node: { "guest-\($0)" })
        #expect(!isWelcome("honest", bench))
        #expect(bench.controller.drainSuspicions().map(\.refusal) == [.noRoom])
        #expect(bench.controller.engine.directory.node(at: ConnectionID(high: 200, low: 1)) == nil)
        bench.pass(Limits.lease)
        #expect(isWelcome("honest", bench))
        for round in UInt64(2)..<4 {
            try fill(bench, Directory.nodesAtMost - 2, round: round, account: { _ in "demo" }) {
                "guest-\(round)-\($0)"
            }
            bench.pass(Limits.lease)
        }
        #expect(bench.controller.engine.directory.nodes.count == Directory.nodesAtMost)
        let nodes = snapshotNodes(bench)
        // Several places are freed at once, and not all of them are used again.
        #expect(nodes.count > Directory.nodesAtMost - 64)
        #expect(Set(nodes.map(\.index)).count == nodes.count)
        #expect(nodes.map(\.index).max() ?? NodeIndex(0) > NodeIndex(2 * 4_096))
        #expect(nodes.contains { $0.name.text == "node-1" })
        bench.hello()
        let toggle = bench.toggle()
        bench.carryOut(try #require(bench.commands.last))
        #expect(bench.outcome(of: toggle.correlation) == .applied(bench.reportedState()))
    }

    @Test("a full node table has a place for awaited devices' commands once a node has left")
    func awaited() throws {
        let bench = try Bench.withDevices()
        try bench.restart()
        try fill(bench, Directory.nodesAtMost - 1, account: { _ in "guest" }, node: { "guest-\($0)" })
        // A node of the account is connected and sends its table slowly.
        let late = (boot: BootID(bits: 2), connection: ConnectionID(high: 3, low: 3))
        bench.hello("node-2", boot: late.boot, on: late.connection)
        for _ in 0..<4 {
            bench.pass(Limits.beatInterval)
            bench.send(.ping(), boot: late.boot, on: late.connection)
        }
        let toggle = bench.toggle()
        #expect(bench.replies(to: toggle.correlation).isEmpty, "it waits for its device")
        bench.hello()
        bench.answerPull()
        bench.carryOut(try #require(bench.commands.last))
        #expect(bench.outcome(of: toggle.correlation) == .applied(bench.reportedState()))
    }

    @Test("a full account table accepts an account after another's nodes have left, and keeps users'")
    func accounts() throws {
        let bench = try Bench.withDevices {
            $0.selfService = SelfService(signsUp: true, resetsPasswords: false)
        }
        let room = Directory.accountsAtMost - bench.controller.engine.directory.accounts.count
        try fill(bench, room, account: { "guest-\($0)" }, node: { "node-\($0)" })
        #expect(!isWelcome("honest", bench, account: "honest"))
        #expect(try signUp(bench, "ann@example.com", token: 20) == nil)
        bench.pass(Limits.lease)
        #expect(isWelcome("honest", bench, account: "honest"))
        let session = try #require(try signUp(bench, "bob@example.com", token: 21))
        for name in ["demo", "other", "honest", session.account.name] { #expect(try knows(name, bench)) }
        #expect(bench.controller.engine.directory.accounts.count == Directory.accountsAtMost)
        bench.hello()
        let toggle = bench.toggle()
        bench.carryOut(try #require(bench.commands.last))
        #expect(bench.outcome(of: toggle.correlation) == .applied(bench.reportedState()))
    }

    @Test("the account table has a place for each user's account, also before the first login")
    func users() throws {
        let email = try #require(Email("late@example.com"))
        let account = try #require(AccountID("late"))
        let session = Session(account: account, email: email, role: .owner, isOperator: true)
        let bench = try Bench { $0.users.append(.init(session: session, passwordHash: "hash")) }
        try fill(bench, Directory.accountsAtMost, account: { "guest-\($0)" }, node: { "node-\($0)" })
        let password = try #require(Password("open sesame"))
        let login = bench.ask(.login(email: email, password: password), token: nil)
        try check(bench, token: 20, didMatch: true)
        #expect(opened(bench, login)?.account == account)
    }

    @Test("an account that returns to a full table continues its sequence numbers")
    func sequences() throws {
        let bench = try Bench()
        let account = try #require(AccountID("guest-0"))
        try fill(bench, Directory.accountsAtMost, account: { "guest-\($0)" }, node: { "node-\($0)" })
        bench.pass(.seconds(5))
        let last = try #require(updates(of: account, bench).last).sequence
        try fill(bench, Directory.accountsAtMost, round: 2, account: { "more-\($0)" }, node: { "node-\($0)" })
        bench.pass(Limits.lease)
        #expect(try !knows("guest-0", bench))
        #expect(isWelcome("node-0", bench, account: "guest-0"))
        #expect(try #require(updates(of: account, bench).first).sequence > last)
    }

    @Test("posts about nodes are not written to accounts without users")
    func posts() throws {
        let bench = try Bench.withDevices()
        try fill(bench, 3, account: { "guest-\($0)" }, node: { "node-\($0)" })
        bench.pass(.seconds(5))
        let demo = try #require(AccountID("demo"))
        let accounts = bench.recordChanges.map(\.account)
        #expect(Set(accounts) == [demo], "whose node is lost, too")
    }

    // MARK: Logins and sign-ups

    private func signUp(_ bench: Bench, _ address: String, token: UInt8) throws -> Session? {
        bench.effects = []
        let email = try #require(Email(address))
        let password = try #require(Password("open sesame"))
        let correlation = bench.ask(.selfService(.signUp(email: email, password: password)), token: nil)
        try check(bench, token: token, didMatch: false)
        return opened(bench, correlation)
    }

    private func check(_ bench: Bench, token: UInt8, didMatch: Bool) throws {
        let bytes = [UInt8](repeating: token, count: 32)
        let checks = bench.effects.compactMap {
            if case .checkPassword(let check) = $0 { check } else { nil }
        }
        bench.step(
            .passwordChecked(
                ticket: try #require(checks.last).ticket, didMatch: didMatch,
                token: try #require(Token(bytes)), digest: try #require(TokenDigest(bytes)), hash: "hash"))
    }

    private func opened(_ bench: Bench, _ correlation: UInt64) -> Session? {
        if case .session(let session, _)? = bench.replies(to: correlation).last { session } else { nil }
    }
}
