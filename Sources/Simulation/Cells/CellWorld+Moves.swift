import ControllerCore
import DeviceCore
import FleetProtocol

/// Moves of an account between cells while its devices are toggled. It checks that the account is never in
/// two cells, that each request is carried out at most once, and that every copy of a request gets the same
/// outcome, in whichever cell the account is.
extension CellWorld {
    static let user = ConnectionID(high: 4, low: 0)
    private static let cellsAsked = 4
    static let userOfMovedAccount = ConnectionID(high: 6, low: 0)
    private static let mover = ConnectionID(high: 5, low: 0)
    private static let repeats: Duration = .milliseconds(400)

    mutating func beginFleet() {
        schedule(.greet, after: .milliseconds(5))
        schedule(.toggle, after: .milliseconds(50))
        schedule(.move, after: .seconds(2))
        schedule(.logIn, after: .seconds(1))
    }

    mutating func orderMove() {
        guard !isHealed else { return }
        let target = name(of: Int.random(in: 0..<cellCount, using: &random))
        let order = CellRequest.move(AccountMoveOrder(account: fleet.account, target: target))
        let request = ClientRequest(
            correlation: UInt64(events.steps), token: nil, body: .service(ServiceMessage(order)))
        report("an operator moves the account to \(target)")
        // Some orders are repeated while a move is under way.
        for cell in cells.indices where cells[cell].controller != nil {
            step(cell, .client(Self.mover, request, digest: operatorDigest))
        }
        schedule(.move, after: pause(200...3_000))
    }

    // MARK: The user

    /// Sends a new toggle, or one again that was sent before.
    mutating func toggle() {
        guard !isHealed else { return }
        let old = fleet.toggles.indices.randomElement(using: &random)
        if let old, chance(0.3) {
            send(old, to: Int.random(in: 0..<cellCount, using: &random))
        } else {
            send(fleet.newToggle(using: &random, at: now.wall), to: fleet.cell)
        }
        schedule(.toggle, after: pause(10...150))
    }

    mutating func send(_ toggle: Int, to cell: Int) {
        let correlation = UInt64(events.steps) << 8 | UInt64(fleet.open.count & 0xff)
        fleet.open[correlation] = toggle
        schedule(.toggleRequest(correlation, at: cell), after: pause(1...5))
        schedule(.toggleSilence(correlation), after: Self.repeats)
    }

    mutating func receiveToggle(_ correlation: UInt64, at cell: Int) {
        guard let place = fleet.open[correlation], cells[cell].controller != nil else { return }
        let command = Command(
            requestID: fleet.toggles[place].id, device: fleet.toggles[place].device, kind: .toggle)
        let request = ClientRequest(correlation: correlation, token: nil, body: .command(command))
        step(cell, .client(Self.user, request, digest: fleet.token))
    }

    /// Sends a toggle again that has no reply.
    mutating func repeatToggle(_ correlation: UInt64) {
        guard let place = fleet.open.removeValue(forKey: correlation) else { return }
        if fleet.toggles[place].outcome == nil || isHealed { send(place, to: fleet.cell) }
    }

    mutating func receiveOutcome(_ reply: ClientReply, from cell: Int) {
        guard let place = fleet.open.removeValue(forKey: reply.correlation) else { return }
        switch reply.body {
        case .outcome(let report) where report.outcome.isFinal:
            see("toggle in a cell")
            let earlier = fleet.toggles[place].outcome
            guard earlier == nil || earlier == report.outcome else {
                return violate("\(report.requestID) ended as \(earlier as Any), and now as \(report.outcome)")
            }
            fleet.toggles[place].outcome = report.outcome
        case .refusal(.moved(let cell)):
            see("account moved")
            if let cell = index(of: cell) { fleet.cell = cell }
            send(place, to: fleet.cell)
        case .refusal(.unauthenticated):
            // The user may have sent it to any cell; only the account's own must know the session.
            if isHealed, holders == [cell] {
                violate("the session is refused in \(name(of: cell)), which has the account")
            }
            schedule(.toggleAgain(place), after: Self.repeats)
        default: schedule(.toggleAgain(place), after: Self.repeats)
        }
    }

    /// Logs the user in at a random cell.
    mutating func logIn() {
        guard !isHealed else { return }
        let correlation = UInt64(events.steps) << 8 | 0xff
        fleet.logins[correlation] = 0
        schedule(
            .logInRequest(correlation, at: Int.random(in: 0..<cellCount, using: &random)), after: pause(1...5)
        )
        // Fewer than the sessions that a user may have: one more would end the first.
        schedule(.logIn, after: pause(300...900))
    }

    mutating func receiveLogIn(_ correlation: UInt64, at cell: Int) {
        guard cells[cell].controller != nil else { return }
        let body = ClientRequest.Body.login(email: fleet.email, password: fleet.password)
        let request = ClientRequest(correlation: correlation, token: nil, body: body)
        step(cell, .client(Self.userOfMovedAccount, request, digest: nil))
    }

    /// Handles the reply to a log-in: the password is right, so no cell may refuse it.
    mutating func receiveLogInReply(_ reply: ClientReply, from cell: Int) {
        guard let asked = fleet.logins.removeValue(forKey: reply.correlation) else { return }
        switch reply.body {
        case .refusal(.moved(let next)):
            guard let next = index(of: next), asked < Self.cellsAsked else { return }
            fleet.logins[reply.correlation] = asked + 1
            schedule(.logInRequest(reply.correlation, at: next), after: pause(1...5))
        case .refusal(.unauthenticated):
            violate("\(fleet.email) is refused in \(name(of: cell)), and has moved")
        case .session: see("logged in after a move")
        default: break
        }
    }

    var holders: [Int] { cells.indices.filter { cells[$0].users[fleet.email] != nil } }

    // MARK: The node

    mutating func stepNode(_ input: Node.Input) {
        for effect in fleet.step(input, at: now) {
            switch effect {
            case .send(let message):
                schedule(.fromNode(message, fleet.connection, at: fleet.nodeCell), after: pause(1...3))
            case .connect(let cell): follow(cell)
            case .remember, .publish, .measured, .crash, .readScenario, .refused: break
            }
        }
        guard let due = fleet.node.nextDue, due != .never else { return }
        let next = max(due, now.monotonic.advanced(by: .milliseconds(1)))
        guard fleet.nextTurn.map({ $0 <= now.monotonic || next < $0 }) ?? true else { return }
        fleet.nextTurn = next
        schedule(.nodeTurn, after: now.monotonic.duration(to: next))
    }

    private mutating func follow(_ cell: CellName) {
        guard let place = index(of: cell) else { return }
        see("node followed")
        (fleet.nodeCell, fleet.connection) = (place, fleet.connection + 1)
        schedule(.greet, after: pause(1...20))
    }

    mutating func receive(_ message: NodeMessage, of connection: UInt64, at cell: Int) {
        guard connection == fleet.connection, cells[cell].controller != nil else { return }
        step(cell, .node(fleet.nodeConnection, message))
    }

    mutating func receive(_ message: ControllerMessage, on connection: ConnectionID) {
        guard connection == fleet.nodeConnection else { return }
        stepNode(.controller(message))
    }

    // MARK: The end

    mutating func checkFleet() {
        if holders.count != 1 { violate("the account is in cells \(holders.map { name(of: $0).text })") }
        let outcomes = fleet.toggles.map(\.outcome)
        if outcomes.contains(nil) { violate("\(outcomes.count { $0 == nil }) toggles have no outcome") }
        let applied = outcomes.count { if case .applied? = $0 { true } else { false } }
        let undetermined = outcomes.count { if case .undetermined? = $0 { true } else { false } }
        if !(applied...applied + undetermined).contains(Int(fleet.changes)) {
            violate("\(applied) toggles were applied, and the devices have \(fleet.changes) changes")
        }
    }
}
