import ControllerCore
import DeviceCore
import FleetProtocol
import FleetReplica
import FleetTime

/// The network: it loses, doubles, holds up and so reorders, and is cut or clogged.
extension World {
    mutating func post(_ parcel: consuming Parcel) {
        guard let (party, way) = route(of: parcel), !isCut(way, of: party) else { return }
        if case .telemetry = parcel, Double.random(in: 0..<1, using: &generator) < weather.telemetryLost {
            faults += 1
            return
        }
        let copies = weather.copies(using: &generator)
        if copies != 1 { faults += 1 }
        if copies > 1 { send(copy parcel, way, of: party) }
        if copies > 0 { send(consume parcel, way, of: party) }
    }

    private mutating func send(_ parcel: consuming Parcel, _ way: Cable.Direction, of party: Party) {
        let isLate = weather.isLate(using: &generator)
        if isLate { faults += 1 }
        let delay = weather.delay(isLate: isLate, using: &generator)
        events.set(.arrival(parcels.put(parcel)), at: passage(way, of: party, after: delay))
    }

    /// Whose cable it takes, and in which direction; nil for a connection that was never anybody's.
    private func route(of parcel: borrowing Parcel) -> (Party, Cable.Direction)? {
        switch parcel {
        case .fromNode(let index, _, _, _), .telemetry(let index, _, _): (.host(index), .toController)
        case .toNode(let index, _, _): (.host(index), .fromController)
        case .request(_, let connection, _, _): parties[connection].map { ($0, .toController) }
        case .chunk(let index, _, _), .update(let index, _, _): (.watcher(index), .fromController)
        }
    }

    mutating func arrive(_ place: Int) {
        switch parcels.take(place) {
        case .toNode(let index, let connection, let message):
            guard hosts[index].connection == connection else { return }
            guard hosts[index].frozenUntil <= now.monotonic else {
                return hold(.toNode(index, connection, message), until: hosts[index].frozenUntil)
            }
            stepNode(index, .controller(message))
        case .chunk(let index, let chunk, let pull): stepWatcher(index, .chunk(chunk, answering: pull))
        case .update(let index, let life, let update):
            guard watchers[index].subscription == life else { return }
            stepWatcher(index, .update(update))
        case .fromNode(let index, let life, let connection, let message):
            if lives.place(of: life) == nil { return arriveLate(message, of: index) }
            guard isHeard(.fromNode(index, life: life, connection, message), by: life) else { return }
            if case .rows = message.body { ledger.seen.insert("pull") }
            ledger.heard(message, at: connection, in: life)
            stepController(life, .node(connection, message))
        case .telemetry(let index, let life, let telemetry):
            guard isHeard(.telemetry(index, life: life, telemetry), by: life) else { return }
            stepController(life, .telemetry(telemetry))
        case .request(let life, let connection, let digest, let request):
            guard isHeard(.request(life: life, connection, digest, request), by: life) else { return }
            if case .customer? = parties[connection] { ledger.heard(request, in: life) }
            stepController(life, .client(connection, request, digest: digest))
        }
    }

    /// What a node said to a life of the controller that is over waits at the node for a connection to the
    /// next, where the seed has it so; a node that dies takes it along.
    private mutating func arriveLate(_ message: NodeMessage, of index: Int) {
        guard hazards.lateWords, hosts[index].bootID == message.bootID else { return }
        let connection = hosts[index].connection
        guard let life = hosts[index].life else {
            let end = now.monotonic.advanced(by: .milliseconds(20))
            return hold(.fromNode(index, life: 0, connection, message), until: end)
        }
        ledger.seen.insert("late word")
        hold(.fromNode(index, life: life, connection, message), until: now.monotonic)
    }

    private mutating func hold(_ parcel: Parcel, until end: MonotonicTime) {
        events.set(.arrival(parcels.put(parcel)), at: end)
    }

    /// Whether a life of the controller hears a parcel now; one that is frozen hears it later.
    private mutating func isHeard(_ parcel: @autoclosure () -> Parcel, by number: Int) -> Bool {
        guard let life = lives.place(of: number) else { return false }
        guard lives[life].frozenUntil <= now.monotonic else {
            hold(parcel(), until: lives[life].frozenUntil)
            return false
        }
        tell("controller hears \(parcel())")
        return true
    }
}
