import ControllerCore
import DeviceCore
import FleetProtocol
import FleetReplica

extension World {
    mutating func connectSoon(_ party: Party) {
        schedule(.connect(party), after: .milliseconds(Int.random(in: 20...400, using: &random.main)))
    }

    /// Connects a party to the newest controller process, or later if that has ended.
    mutating func connect(_ party: Party) {
        let number = controllers.newest
        guard controllers.newestIndex != nil else { return connectSoon(party) }
        let connection = network.connect(party)
        switch party {
        case .node(let index):
            guard nodes[index].isAlive else { return }
            guard nodes[index].turns.frozenUntil <= now.monotonic else {
                return events.schedule(.connect(party), at: nodes[index].turns.frozenUntil)
            }
            nodes[index].connect(connection, to: number)
            ledger.nodes.connected(connection, node: index, boot: nodes[index].boots)
            stepNode(index, .connected)
        case .client(let index): clients[index].connect(connection, to: number)
        case .observer(let index):
            observers[index].connect(connection, to: number)
            stepObserver(index, .connection(.established))
        case .stream(let index):
            let delay = Duration.microseconds(Int.random(in: 200...3_000, using: &random.main))
            schedule(.subscribe(index, controller: number), after: delay)
        }
    }

    mutating func disconnect(_ party: Party) {
        switch party {
        case .observer(let index):
            observers[index].disconnect()
            stepObserver(index, .connection(.failed("lost")))
        case .stream(let index): observers[index].subscription = nil
        case .node, .client: break
        }
        connectSoon(party)
    }

    mutating func subscribe(_ index: Int, to number: Int) {
        guard controllers.index(of: number) != nil,
            !network.isCut(.toController, of: .stream(index), at: now.monotonic, &ledger.findings)
        else { return connectSoon(.stream(index)) }
        observers[index].subscription = number
        stepController(number, .subscribed(observers[index].account))
    }

    mutating func tickObserver(_ index: Int) {
        schedule(.observerTick(index), after: .milliseconds(100))
        stepObserver(index, .tick)
        if let silence = observers[index].silenceWithoutStaleness(at: now.monotonic) {
            ledger.violate("observer \(index) has received nothing for \(silence), and is not stale")
        }
    }

    mutating func stepObserver(_ index: Int, _ input: Replica.Input) {
        log("observer \(index) receives \(input)")
        let effects = observers[index].step(input, at: now, &ledger.findings)
        for effect in effects {
            switch effect {
            case .pull(let pull): request(pull, from: index)
            case .event(let event):
                if case .resync(let resync) = event.body, !resync.isFirst { ledger.seen.insert("resync") }
                if case .stale(let reason) = event.body { ledger.findings.staleness.insert(reason) }
            }
        }
        observers[index].recycle(effects)
    }

    private mutating func request(_ pull: Replica.Pull, from index: Int) {
        guard let controller = observers[index].controller else { return }
        let request = observers[index].request(pull, correlation: clients.nextCorrelation())
        send(
            .request(
                controller: controller, observers[index].connection, observers[index].digest, request))
    }

    mutating func receive(_ reply: ClientReply, byObserver index: Int) {
        guard let pull = observers[index].pull(of: reply.correlation) else { return }
        ledger.checkDevices(of: reply.body, observers[index].account)
        if case .snapshot(let chunk) = reply.body { send(.chunk(index, chunk, pull)) }
    }

    /// Publishes an update to the subscribers of its account; a slow observer's updates are dropped.
    mutating func publish(_ update: StreamUpdate, to account: AccountID, from number: Int) {
        log("controller \(number) publishes to \(account): \(update)")
        ledger.published(update, to: account)
        for index in observers.indices
        where observers[index].subscription == number && observers[index].account == account {
            let party = Party.stream(index)
            guard observers[index].slowUntil <= now.monotonic,
                !network.isCut(.fromController, of: party, at: now.monotonic, &ledger.findings)
            else { continue }
            let delay = Int64.random(in: 200...2_000, using: &random.main)
            let open = network.arrival(
                .fromController, of: party, at: now.monotonic, after: delay, &ledger.findings)
            let arrival = observers[index].arrival(of: open)
            network.hold(.update(index, controller: number, update), until: arrival, into: &events)
        }
    }
}
