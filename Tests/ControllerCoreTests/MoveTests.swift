import FleetProtocol
import Testing

@testable import ControllerCore

/// A cell whose test is all other cells and its operator.
private struct MovingCell {
    private static let others = ConnectionID(high: 2, low: 0)

    private var controller: Controller
    private let secret: TokenDigest
    private let now = Moment(monotonic: .zero, wall: Bench.start)
    /// The number of the last request to another cell.
    private(set) var sent: UInt64 = 0
    private(set) var stored: [MoveEntry] = []

    /// Starts a cell, committed to a move if one is given.
    init(_ name: CellName, beside other: CellName, committedTo move: AccountMove? = nil) {
        secret = TokenDigest.of(9)
        var configuration = ControllerConfiguration(epoch: Epoch(5), users: [], seed: 1)
        var cells = CellConfiguration(
            own: name, others: [other], digest: secret,
            hash: { CellHash(high: UInt64($0.count), low: UInt64($0.last ?? 0)) })
        cells.moves.committed = move
        configuration.cells = cells
        controller = Controller(configuration, at: now)
        step(.turn(lastTook: .zero))
    }

    /// Handles an input; returns the reply to the other cell or the operator, if any.
    @discardableResult
    private mutating func step(_ input: Controller.Input) -> CellReply? {
        var effects = Controller.Effects()
        controller.step(input, at: now, into: &effects)
        controller.step(.turn(lastTook: .zero), at: now, into: &effects)
        for case .askCell(let request) in effects.rare { sent = request.correlation }
        stored += effects.changes.compactMap { if case .move(let entry) = $0 { entry } else { nil } }
        guard case .service(let message)? = effects.replies.first?.reply.body else { return nil }
        return try? message.reply(to: CellRequest.self)
    }

    mutating func ask(_ request: CellRequest) -> CellReply? {
        let body = ClientRequest.Body.service(ServiceMessage(request))
        return step(
            .client(Self.others, ClientRequest(correlation: 1, token: nil, body: body), digest: secret))
    }

    mutating func receive(_ phase: AccountMoveStatus.Phase, of move: AccountMove, number: UInt64? = nil) {
        let status = AccountMoveStatus(move: move, phase: phase, epoch: Epoch(7))
        step(.cell(.reply(move.target, correlation: number ?? sent, .moveStatus(status))))
    }
}

@Suite("Moves of accounts")
struct MoveTests {
    private let move: AccountMove

    init() throws {
        move = AccountMove(
            account: try #require(AccountID("moving")), source: try #require(CellName("c1")),
            target: try #require(CellName("c2")), epoch: Epoch(4), number: 1)
    }

    @Test(
        "a committed move ends if the target does not know it, and by no late reply",
        arguments: [
            (AccountMoveStatus.Phase.unknown, false, true),
            // A refusal answers an offer.
            (.refused, false, false),
            (.unknown, true, false),
        ])
    func replies(phase: AccountMoveStatus.Phase, isOfEarlierRun: Bool, ends: Bool) {
        var source = MovingCell(move.source, beside: move.target, committedTo: move)
        source.receive(phase, of: move, number: isOfEarlierRun ? 1 : nil)
        #expect(source.stored == (ends ? [.withdrawn(move)] : []))
        source.receive(.taken, of: move)
        #expect(source.stored.count == 1, "else it departs now")
    }

    @Test("a target that does not know a committed move refuses the late offers of it")
    func lateOffer() {
        var target = MovingCell(move.target, beside: move.source)
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
