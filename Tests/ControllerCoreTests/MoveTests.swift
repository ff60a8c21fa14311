import FleetProtocol
import FleetTime
import Testing

@testable import ControllerCore

/// A cell whose test is all other cells and its operator.
private struct MovingCell {
    private static let others = ConnectionID(high: 2, low: 0)

    private var controller: Controller
    private let secret: TokenDigest
    private let now = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))
    /// The number of the last request to another cell.
    private(set) var sent: UInt64 = 0
    private(set) var stored: [MoveEntry] = []

    init(_ name: String, others: [String], users: [ControllerConfiguration.User] = []) throws {
        let secret = try #require(TokenDigest([UInt8](repeating: 9, count: 32)))
        var configuration = ControllerConfiguration(epoch: Epoch(4), users: users, seed: 1)
        configuration.cells = CellConfiguration(
            own: try #require(CellName(name)), others: try others.map { try #require(CellName($0)) },
            digest: secret, hash: { CellHash(high: UInt64($0.count), low: UInt64($0.last ?? 0)) })
        self.secret = secret
        controller = Controller(configuration, at: now)
    }

    /// Handles an input; returns the reply to the other cell or the operator, if any.
    @discardableResult
    private mutating func step(_ input: Controller.Input) -> CellReply? {
        var effects = Controller.Effects()
        controller.step(input, at: now, into: &effects)
        controller.step(.turn(lastTook: .zero), at: now, into: &effects)
        sent = effects.cellRequests.map(\.correlation).max() ?? sent
        stored += effects.changes.compactMap { if case .move(let entry) = $0 { entry } else { nil } }
        guard case .service(let message)? = effects.replies.first?.reply.body else { return nil }
        return try? message.reply(to: CellRequest.self)
    }

    mutating func ask(_ request: CellRequest) -> CellReply? {
        let body = ClientRequest.Body.service(ServiceMessage(request))
        return step(
            .client(
                Self.others, ClientRequest(correlation: 1, token: nil, body: body), digest: secret))
    }

    mutating func receive(_ phase: AccountMoveStatus.Phase, of move: AccountMove, number: UInt64? = nil) {
        let status = AccountMoveStatus(move: move, phase: phase, epoch: Epoch(7))
        step(.cellReply(move.target, correlation: number ?? sent, .moveStatus(status)))
    }

    /// Moves an account up to the commit.
    mutating func commit(_ move: AccountMove) throws {
        _ = ask(.move(AccountMoveOrder(account: move.account, target: move.target)))
        for part in [MoveContent.Part.history, .rest] {
            guard case .content? = ask(.content(MoveContentQuery(move: move, part: part, position: 0)))
            else {
                Issue.record("the move \(move.number) has no \(part)")
                return
            }
        }
        step(.readRows(move, []))
        receive(.ready, of: move)
        try #require(stored == [.committed(move)])
    }
}

@Suite("Moves of accounts")
struct MoveTests {
    private let move: AccountMove
    private let user: ControllerConfiguration.User

    init() throws {
        let account = try #require(AccountID("moving"))
        let (source, target) = (try #require(CellName("c1")), try #require(CellName("c2")))
        move = AccountMove(account: account, source: source, target: target, epoch: Epoch(4), number: 1)
        let session = Session(
            account: account, email: try #require(Email("mover@example.org")), role: .owner,
            isOperator: true)
        user = ControllerConfiguration.User(session: session, passwordHash: "hash")
    }

    @Test("after the commit, a refusal is the late reply to an offer, and the account stays committed")
    func lateRefusal() throws {
        var source = try MovingCell("c1", others: ["c2"], users: [user])
        try source.commit(move)
        source.receive(.refused, of: move)
        #expect(source.stored == [.committed(move)])
        source.receive(.taken, of: move)
        #expect(source.stored.count == 2, "it departs")
    }

    @Test("after the commit, the target's reply that it does not know the move ends it")
    func unknown() throws {
        var source = try MovingCell("c1", others: ["c2"], users: [user])
        try source.commit(move)
        source.receive(.unknown, of: move)
        #expect(source.stored == [.committed(move), .withdrawn(move)])
    }

    @Test("the reply to a request of an earlier run changes nothing")
    func earlierRun() throws {
        var source = try MovingCell("c1", others: ["c2"], users: [user])
        try source.commit(move)
        source.receive(.unknown, of: move, number: 1)
        #expect(source.stored == [.committed(move)])
    }

    @Test("a target that does not know a committed move refuses the late offers of it")
    func lateOffer() throws {
        var target = try MovingCell("c2", others: ["c1"])
        func phase(_ reply: CellReply?) -> AccountMoveStatus.Phase? {
            if case .moveStatus(let status)? = reply { status.phase } else { nil }
        }
        let offer = CellRequest.offer(AccountMoveOffer(move: move, devices: 0))
        #expect(phase(target.ask(offer)) == .copying)
        #expect(phase(target.ask(.commit(move))) == .unknown, "its content is not here")
        #expect(phase(target.ask(offer)) == .refused)
        let next = AccountMove(
            account: move.account, source: move.source, target: move.target, epoch: move.epoch, number: 2)
        #expect(phase(target.ask(.offer(AccountMoveOffer(move: next, devices: 0)))) == .copying)
    }
}
