import ControllerCore
import FleetProtocol

extension World {
    mutating func sendCommand(from index: Int) {
        guard !isHealed else { return }
        let pause = Int64.random(in: 20...300, using: &random.main) * 1_000_000 / Int64(faults.requestRate)
        schedule(.clientTurn(index), after: .nanoseconds(pause))
        send(clients.nextRequest(of: index, nodes: &nodes, at: now.wall, using: &random), from: index)
    }

    private mutating func send(_ body: ClientRequest.Body, from index: Int) {
        let correlation = clients.nextCorrelation()
        ledger.requested(body, in: clients[index].account)
        guard let controller = clients[index].controller else { return }
        log("client \(index) sends \(body)")
        let request = ClientRequest(correlation: correlation, token: nil, body: body)
        send(.request(controller: controller, clients[index].connection, clients[index].digest, request))
    }

    /// Toggles a device after all faults have ended: the toggle must be applied.
    mutating func toggleAfterHealing(_ device: DeviceID) {
        guard let owner = ledger.owner(of: device), let index = clients.first(of: owner) else { return }
        let id = RequestID(at: now.wall, using: &random.main)
        ledger.mustBeApplied(Ledger.Key(id: id, account: owner))
        send(.command(Command(requestID: id, device: device, kind: .toggle)), from: index)
    }

    mutating func receive(_ reply: ClientReply, by index: Int, from controller: Int) {
        let isNewest = controller == controllers.newest
        var content: ClientReply.Body.Decoded?
        if case .service = reply.body { content = reply.body.decoded }
        ledger.replied(reply, content, to: clients[index].account, by: controller, isNewest: isNewest)
        guard
            let question = ledger.accounts.replied(reply, content, isNewest: isNewest, into: &ledger.findings)
        else { return }
        clients.received(reply.body, content, to: question, by: index)
    }

    /// The most queues that have not ended: they must end in the time without faults.
    private var openQueuesAtMost: Int { faults.requestsInFlight == nil ? 6 : 1 }

    mutating func useCommandQueues() {
        guard !isHealed else { return resumeCommandQueues() }
        let pause = Int.random(in: 50...400, using: &random.commandQueues)
        schedule(.commandQueueTurn, after: .milliseconds(pause))
        if faults.roleChanges, Int.random(in: 0..<3, using: &random.roles) == 0 { changeRole() }
        let index = Int.random(in: 0..<Clients.commandClients, using: &random.commandQueues)
        let request = clients.nextQueueRequest(
            of: index, devices: ledger.devices(of: clients[index].account),
            mayStart: ledger.openCommandQueues.count < openQueuesAtMost, at: now.wall,
            using: &random.commandQueues)
        if let request { send(.commandQueues(request), from: index) }
    }

    /// Has the operator change the role of a client other than the first, which checks devices at the end.
    private mutating func changeRole() {
        let index = Int.random(in: 1..<Clients.commandClients - 1, using: &random.roles)
        let body = clients.roleChange(of: index, using: &random.roles)
        guard let controller = clients[index].controller else { return }
        let request = ClientRequest(correlation: clients.nextCorrelation(), token: nil, body: body)
        log("the operator sends \(body)")
        send(.request(controller: controller, clients[index].connection, Clients.operatorDigest, request))
    }

    /// Resumes paused queues, so that all can end.
    private mutating func resumeCommandQueues() {
        schedule(.commandQueueTurn, after: .milliseconds(200))
        for (key, state) in ledger.openCommandQueues where state == .paused {
            guard let index = clients.first(of: key.account) else { continue }
            send(.commandQueues(.steer(key.id, .resume)), from: index)
        }
    }

    mutating func sendAccountRequest(from index: Int) {
        guard !isHealed else { return }
        let pause = Int.random(in: 10...150, using: &random.accounts)
        schedule(.accountClientTurn(index), after: .milliseconds(pause))
        guard let controller = clients[index].controller,
            let question = clients.nextQuestion(
                of: index, devices: ledger.devices(of: clients[index].account), at: now.wall,
                using: &random.accounts)
        else { return }
        let correlation = clients.nextCorrelation()
        ledger.accounts.asked(question, as: correlation)
        log("\(question.email) sends \(question.body)")
        let request = ClientRequest(correlation: correlation, token: nil, body: question.body)
        send(.request(controller: controller, clients[index].connection, question.digest, request))
    }

    /// Compares the accounts that the newest controller process serves with the stored ones.
    mutating func checkServedAccounts(when: String) {
        guard faults.accountClients else { return }
        var query = Query(of: self)
        for account in Clients.accounts {
            guard let index = clients.first(of: account),
                let served = ServedAccount(of: account, ask: { query?.reply(to: $0, for: clients[index]) })
            else { return ledger.violate("\(account) \(when): a user cannot read") }
            if !served.posts.isEmpty { ledger.seen.insert("account recovered") }
            ledger.accounts.check(served, when: when, into: &ledger.findings)
        }
    }

    /// The snapshot that the newest controller process serves to a client.
    func snapshot(of index: Int) -> (nodes: [SnapshotChunk.Node], rows: [SnapshotChunk.Row]) {
        var nodes: [SnapshotChunk.Node] = []
        var rows: [SnapshotChunk.Row] = []
        var cursor: UInt32 = 0
        var query = Query(of: self)
        for _ in 0..<64 {
            let reply = query?.reply(to: .snapshot(cursor: cursor), for: clients[index])
            guard case .snapshot(let chunk)? = reply else { break }
            nodes += chunk.nodes
            rows += chunk.rows
            cursor = chunk.nextCursor
            if chunk.isLast { break }
        }
        return (nodes, rows)
    }

    var pending: UInt32? {
        var query = Query(of: self)
        guard case .status(let report)? = query?.reply(to: .status, for: clients[0]) else { return nil }
        return report.pending
    }
}

/// Requests without the network and without a change of the world, to a copy of a controller.
private struct Query {
    private var controller: Controller
    private let now: Moment

    /// A query of the newest controller process; nil if it has ended.
    init?(of world: borrowing World) {
        guard let newest = world.controllers.newestIndex else { return nil }
        (controller, now) = (world.controllers[newest].controller, world.now)
    }

    mutating func reply(to body: ClientRequest.Body, for client: Client) -> ClientReply.Body? {
        var effects = Controller.Effects()
        let request = ClientRequest(correlation: 0, token: nil, body: body)
        controller.receive(request, from: client.connection, digest: client.digest, at: now, into: &effects)
        return effects.replies.first?.reply.body
    }
}
