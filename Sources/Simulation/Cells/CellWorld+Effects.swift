import ControllerCore
import FleetProtocol

/// The effects of controllers: what they store, and what they send.
extension CellWorld {
    mutating func step(_ cell: Int, _ input: Controller.Input) {
        var effects = Controller.Effects()
        cells[cell].controller?.step(input, at: events.now, into: &effects)
        cells[cell].controller?.step(.turn(lastTook: .zero), at: events.now, into: &effects)
        store(effects.changes, of: cell)
        let epoch = cells[cell].epoch
        for sent in effects.replies { send(sent, from: cell) }
        for message in effects.messages {
            schedule(.toNode(message.node, message.message), after: pause(1...3))
        }
        for effect in effects.rare {
            switch effect {
            case .check(let check): schedule(.checked(cell, epoch: epoch, check), after: pause(1...80))
            case .hash(let hashing): schedule(.hashed(cell, epoch: epoch, hashing), after: pause(1...80))
            case .askCell(let request):
                guard let target = index(of: request.cell) else { continue }
                pass(.cellRequest(from: cell, to: target, request))
            case .move(let work): schedule(.rows(cell, epoch: epoch, work), after: pause(1...20))
            case .publishLast, .message: break
            }
        }
        if hasMoved(effects.changes, at: cell) { return }
        guard let due = cells[cell].controller?.nextDue, due != .never else { return }
        let next = max(due, now.monotonic.advanced(by: .milliseconds(1)))
        if cells[cell].nextTurn.map({ $0 <= now.monotonic || next < $0 }) ?? true {
            cells[cell].nextTurn = next
            events.schedule(.turn(cell), at: next)
        }
    }

    private mutating func store(_ changes: [StorageChange], of cell: Int) {
        for change in changes {
            cells[cell].store(change, with: &contents)
            clearHomes(of: change.takenUsers(in: contents))
            guard let user = change.addedUser(in: contents) else { continue }
            report("\(cells[cell].name) adds \(user)")
            for other in cells where other.name != cells[cell].name && !other.gives(user.session.account) {
                if other.users[user.session.email] != nil {
                    violate("\(user.session.email) is in \(cells[cell].name) and in \(other.name)")
                }
                if other.users.values.contains(where: { $0.session.account == user.session.account }) {
                    violate("account \(user.session.account) is in \(cells[cell].name) and in \(other.name)")
                }
            }
        }
    }

    /// Clears the homes of the people among these users, because their account moved to another cell.
    private mutating func clearHomes(of users: [ControllerConfiguration.User]) {
        for person in people.indices where users.contains(where: { $0.session.email == people[person].email })
        {
            people[person].leave(at: now.monotonic)
        }
    }

    private mutating func send(_ sent: Controller.Effects.Reply, from cell: Int) {
        if sent.client == Self.clients {
            if !chance(0.05) { schedule(.reply(sent.reply), after: pause(1...5)) }
            return
        }
        if sent.client == Self.userOfMovedAccount {
            return schedule(.logInReply(sent.reply, from: cell), after: pause(1...5))
        }
        guard sent.client.high == Self.link(to: 0).high else {
            if sent.client == Self.user, !chance(0.05) {
                schedule(.toggleReply(sent.reply, from: cell), after: pause(1...5))
            }
            return
        }
        guard case .service(let message) = sent.reply.body,
            let reply = try? message.reply(to: CellRequest.self)
        else { return violate("\(cells[cell].name) refuses a cell: \(sent.reply.body)") }
        let target = Int(sent.client.low)
        pass(.cellReply(from: cell, to: target, correlation: sent.reply.correlation, reply))
    }

    /// Sends a message between cells: it may be lost, arrive late, or arrive twice.
    private mutating func pass(_ event: Event) {
        if chance(0.1) {
            faults += 1
            return
        }
        schedule(event, after: pause(chance(0.1) ? 50...3_000 : 1...30))
        guard chance(0.1) else { return }
        see("late page")
        faults += 1
        schedule(event, after: pause(50...4_000))
    }

    /// Starts a cell again that has stored the end of a move.
    private mutating func hasMoved(_ changes: [StorageChange], at cell: Int) -> Bool {
        guard changes.contains(where: \.endsMove) else { return false }
        report("\(cells[cell].name) starts again after a move")
        cells[cell].controller = nil
        schedule(.start(cell), after: pause(5...200))
        return true
    }

    /// Reads or checks the rows of an account, as the store of a controller does.
    mutating func finish(_ work: MoveWork, at cell: Int) {
        switch work {
        case .read(let move):
            let place = contents.count
            contents.append(cells[cell].content(of: move.account))
            step(cell, .cell(.readRows(move, [UInt8(place & 0xff), UInt8(place >> 8)])))
        case .check(let move, _): step(cell, .cell(.checkedRows(move, objection: nil)))
        }
    }
}

extension StorageChange {
    fileprivate func addedUser(in contents: [SimulatedCell.Content]) -> ControllerConfiguration.User? {
        if case .access(.userAdded(let user)) = self { user } else { takenUsers(in: contents).first }
    }

    /// The users of an account that the change takes over from another cell.
    fileprivate func takenUsers(in contents: [SimulatedCell.Content]) -> [ControllerConfiguration.User] {
        guard case .move(.taken(_, let rows)) = self else { return [] }
        return SimulatedCell.content(rows, among: contents)?.users ?? []
    }
}
