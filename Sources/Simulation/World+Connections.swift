import ControllerCore
import DeviceCore
import FleetProtocol
import FleetReplica
import FleetTime

/// Who is connected to which life of the controller.
extension World {
    /// An observer that hears nothing shows it after this time at the latest.
    private static let staleness: Duration = .milliseconds(1_500)

    mutating func connectSoon(_ party: Party) {
        let pause = Duration.milliseconds(Int.random(in: 20...400, using: &generator))
        events.set(.connect(party), at: now.monotonic.advanced(by: pause))
    }

    /// Connects to the newest life, or tries again later when there is none.
    mutating func connect(_ party: Party) {
        guard lives.place(of: newest) != nil else { return connectSoon(party) }
        let connection = freshConnection()
        parties[connection, default: party] = party
        switch party {
        case .host(let index):
            guard hosts[index].isAlive else { return }
            guard hosts[index].frozenUntil <= now.monotonic else {
                return events.set(.connect(party), at: hosts[index].frozenUntil)
            }
            (hosts[index].connection, hosts[index].life) = (connection, newest)
            let boot = Ledger.NodeBoot(node: index, number: hosts[index].boots)
            ledger.boots[connection, default: boot] = boot
            stepNode(index, .connected)
        case .customer(let index):
            (customers[index].connection, customers[index].life) = (connection, newest)
        case .watcher(let index):
            (watchers[index].connection, watchers[index].life) = (connection, newest)
            watchers[index].pulls = [:]
            stepWatcher(index, .connection(.established))
        case .stream(let index):
            let delay = Duration.microseconds(Int.random(in: 200...3_000, using: &generator))
            events.set(.subscribe(index, life: newest), at: now.monotonic.advanced(by: delay))
        }
    }

    /// An observer's connection breaks.
    mutating func lose(_ party: Party) {
        switch party {
        case .watcher(let index):
            watchers[index].life = nil
            watchers[index].pulls = [:]
            stepWatcher(index, .connection(.failed("lost")))
        case .stream(let index): watchers[index].subscription = nil
        case .host, .customer: break
        }
        connectSoon(party)
    }

    /// A subscription stands from now on.
    mutating func subscribe(_ index: Int, to life: Int) {
        guard lives.place(of: life) != nil, !isCut(.toController, of: .stream(index)) else {
            return connectSoon(.stream(index))
        }
        watchers[index].subscription = life
        stepController(life, .subscribed(watchers[index].account))
    }

    mutating func tick(_ index: Int) {
        events.set(.watcherTick(index), at: now.monotonic.advanced(by: .milliseconds(100)))
        stepWatcher(index, .tick)
        let silence = watchers[index].heardAt.duration(to: now.monotonic)
        if silence > Self.staleness, watchers[index].replica.staleness == nil {
            ledger.violate("observer \(index) has heard nothing for \(silence), and is not stale")
        }
    }

    /// Steps a replica; whatever it is told, no version goes back within an incarnation.
    mutating func stepWatcher(_ index: Int, _ input: Replica.Input) {
        let touched = Self.devices(in: input)
        let before = touched.map { watchers[index].replica.stateInPlace(of: $0) }
        tell("observer \(index) hears \(input)")
        if case .update = input { watchers[index].heardAt = now.monotonic }
        var effects: [Replica.Effect] = []
        swap(&effects, &watcherEffects)
        watchers[index].replica.step(input, at: now, into: &effects)
        for (device, before) in zip(touched, before) {
            guard let before, let after = watchers[index].replica.stateInPlace(of: device) else { continue }
            if after.incarnation == before.incarnation, after.version < before.version {
                ledger.violate("an observer's \(device) went from \(before.version) to \(after.version)")
            }
        }
        for effect in effects {
            switch effect {
            case .pull(let pull): ask(pull, from: index)
            case .event(let event):
                if case .resync(let resync) = event.body, !resync.isFirst { ledger.seen.insert("resync") }
                if case .stale(let reason) = event.body { ledger.seen.insert("stale: \(reason.name)") }
            }
        }
        if !effects.isEmpty { effects.removeAll(keepingCapacity: true) }
        swap(&effects, &watcherEffects)
    }

    private static func devices(in input: Replica.Input) -> [DeviceID] {
        switch input {
        case .update(let update):
            switch update.body {
            case .reported(let device, _, _): [device]
            case .reports(let devices): devices.map(\.device)
            case .added(let row): [row.device]
            case .beat, .connection, .node, .outcome, .removed, .measured, .group, .settings, .service: []
            }
        case .chunk(let chunk, _): chunk.rows.map(\.device)
        case .pullFailed, .connection, .tick: []
        }
    }

    private mutating func ask(_ pull: Replica.Pull, from index: Int) {
        guard let life = watchers[index].life else { return }
        correlation += 1
        watchers[index].pulls[correlation] = pull
        let request = ClientRequest(
            correlation: correlation, token: nil, body: .snapshot(cursor: pull.cursor, end: pull.end))
        post(.request(life: life, watchers[index].connection, watchers[index].digest, request))
    }

    /// Publishes to whoever has subscribed to that life; what a slow observer has no room for is dropped.
    mutating func deliver(_ update: StreamUpdate, of account: AccountID, from life: Int) {
        for index in watchers.indices
        where watchers[index].subscription == life && watchers[index].account == account {
            guard watchers[index].slowUntil <= now.monotonic else { continue }
            guard !isCut(.fromController, of: .stream(index)) else { continue }
            let delay = Int64.random(in: 200...2_000, using: &generator)
            let open = passage(.fromController, of: .stream(index), after: delay)
            let arrival = max(watchers[index].lastArrival, open)
            watchers[index].lastArrival = arrival
            events.set(.arrival(parcels.put(.update(index, life: life, update))), at: arrival)
        }
    }
}

/// Asked where it stands, for it says that it changes: otherwise a replica is copied.
extension Replica {
    fileprivate mutating func stateInPlace(of device: DeviceID) -> DeviceState? { row(of: device)?.reported }
}
