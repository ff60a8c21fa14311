import FleetProtocol
import Testing

@testable import ControllerCore

extension Bench {
    /// Nodes send a hello, each once, on a connection of its own.
    fileprivate func fill(_ count: Int, round: UInt64 = 1, account: (Int) -> String, node: (Int) -> String) {
        for number in 0..<count {
            let hello = NodeHello(
                node: valid(NodeName(node(number))), account: valid(AccountID(account(number))), devices: 0)
            let bits = round << 32 | UInt64(number)
            let message = NodeMessage(bootID: BootID(bits: bits), lastNumber: .zero, body: .hello(hello))
            step(.node(ConnectionID(high: 100, low: bits), message))
            effects = []
        }
    }

    fileprivate func knows(_ account: String) -> Bool {
        controller.engine.directory.account(valid(AccountID(account))) != nil
    }

    /// Another node sends a hello; returns whether it was accepted.
    fileprivate func isWelcome(_ name: String, account: AccountID = .demo) -> Bool {
        effects = []
        let connection = ConnectionID(high: 200, low: 1)
        hello(name, account: account, boot: BootID(bits: 200 << 32 | 1), on: connection)
        return sent(to: connection).contains(.pong(helloWanted: false))
    }

    fileprivate func updates(of account: AccountID) -> [StreamUpdate] {
        effects.compactMap { if case .publish(account, let update) = $0 { update } else { nil } }
    }

    fileprivate func signUp(_ email: Email, token: UInt8) throws -> Session? {
        effects = []
        let correlation = ask(.selfService(.signUp(email: email, password: .secret)), token: nil)
        try finishCheck(didMatch: false, token: token, hash: "hash")
        return session(of: correlation)
    }
}

@Suite("Tables of nodes and accounts that are full")
struct FullTablesTests {
    private let bench = Bench.withDevices()

    @Test("a full node table accepts a node after another has left, and keeps nodes with devices")
    func nodes() throws {
        bench.fill(Directory.nodesAtMost - 1, account: { _ in "demo" }, node: { "guest-\($0)" })
        #expect(!bench.isWelcome("honest"))
        #expect(bench.controller.drainSuspicions().map(\.refusal) == [.noRoom])
        #expect(bench.controller.engine.directory.node(at: ConnectionID(high: 200, low: 1)) == nil)
        bench.pass(Limits.lease)
        #expect(bench.isWelcome("honest"))
        for round in UInt64(2)..<4 {
            bench.fill(Directory.nodesAtMost - 2, round: round, account: { _ in "demo" }) {
                "guest-\(round)-\($0)"
            }
            bench.pass(Limits.lease)
        }
        #expect(bench.controller.engine.directory.nodes.count == Directory.nodesAtMost)
        let nodes = try bench.snapshotChunks().flatMap(\.nodes)
        // Several places are freed at once, and not all of them are used again.
        #expect(nodes.count > Directory.nodesAtMost - 64)
        #expect(Set(nodes.map(\.index)).count == nodes.count)
        #expect(nodes.map(\.index).max() ?? NodeIndex(0) > NodeIndex(2 * 4_096))
        #expect(nodes.contains { $0.name.text == "node-1" })
        bench.hello()
        bench.expectToggleIsApplied()
    }

    @Test("a full node table has a place for awaited devices' commands once a node has left")
    func awaited() throws {
        try bench.restart()
        bench.fill(Directory.nodesAtMost - 1, account: { _ in "guest" }, node: { "guest-\($0)" })
        // A node of the account is connected and sends its table slowly.
        let late = (boot: BootID(bits: 2), connection: ConnectionID(high: 3, low: 3))
        bench.hello("node-2", boot: late.boot, on: late.connection)
        for _ in 0..<4 {
            bench.pass(Limits.beatInterval)
            bench.send(.ping(), boot: late.boot, on: late.connection)
        }
        let toggle = bench.toggle()
        #expect(bench.replies(to: toggle.correlation).isEmpty, "it waits for its device")
        bench.join()
        bench.carryOutNewest()
        #expect(bench.outcome(of: toggle.correlation) == .applied(bench.reportedState()))
    }

    @Test("a full account table accepts an account after another's nodes have left, and keeps users'")
    func accounts() throws {
        let bench = Bench.withDevices {
            $0.selfService = SelfService(signsUp: true, resetsPasswords: false)
        }
        let room = Directory.accountsAtMost - bench.controller.engine.directory.accounts.count
        bench.fill(room, account: { "guest-\($0)" }, node: { "node-\($0)" })
        #expect(!bench.isWelcome("honest", account: valid(AccountID("honest"))))
        #expect(try bench.signUp(.ann, token: 20) == nil)
        bench.pass(Limits.lease)
        #expect(bench.isWelcome("honest", account: valid(AccountID("honest"))))
        let session = try #require(try bench.signUp(valid(Email("bob@example.com")), token: 21))
        for name in ["demo", "other", "honest", session.account.name] { #expect(bench.knows(name)) }
        #expect(bench.controller.engine.directory.accounts.count == Directory.accountsAtMost)
        bench.hello()
        bench.expectToggleIsApplied()
    }

    @Test("the account table has a place for each user's account, also before the first login")
    func users() throws {
        let (email, account) = (Email.ann, valid(AccountID("late")))
        let session = Session(email, of: account, .owner, isOperator: true)
        let bench = Bench { $0.users.append(.init(session: session, passwordHash: "hash")) }
        bench.fill(Directory.accountsAtMost, account: { "guest-\($0)" }, node: { "node-\($0)" })
        let login = bench.login(email)
        try bench.finishCheck()
        #expect(bench.session(of: login)?.account == account)
    }

    @Test("an account that returns to a full table continues its sequence numbers")
    func sequences() throws {
        let bench = Bench()
        let account = try #require(AccountID("guest-0"))
        bench.fill(Directory.accountsAtMost, account: { "guest-\($0)" }, node: { "node-\($0)" })
        bench.pass(.seconds(5))
        let last = try #require(bench.updates(of: account).last).sequence
        bench.fill(Directory.accountsAtMost, round: 2, account: { "more-\($0)" }, node: { "node-\($0)" })
        bench.pass(Limits.lease)
        #expect(!bench.knows("guest-0"))
        #expect(bench.isWelcome("node-0", account: account))
        #expect(try #require(bench.updates(of: account).first).sequence > last)
    }

    @Test("posts about nodes are not written to accounts without users")
    func posts() {
        bench.fill(3, account: { "guest-\($0)" }, node: { "node-\($0)" })
        bench.pass(.seconds(5))
        #expect(Set(bench.recordChanges.map(\.account)) == [.demo], "whose node is lost, too")
    }
}
