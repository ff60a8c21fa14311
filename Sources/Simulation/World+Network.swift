import ControllerCore
import DeviceCore
import FleetProtocol
import ObserverCore
import Stepping

/// The network: it loses, doubles, holds up and so reorders, and is cut or clogged.
extension World {
    mutating func post(_ parcel: Parcel) {
        guard let (party, way) = route(of: parcel), !isCut(way, of: party) else { return }
        if case .telemetry = parcel, Double.random(in: 0..<1, using: &generator) < weather.telemetryLost {
            return
        }
        for _ in 0..<weather.copies(using: &generator) {
            let delay = weather.delay(using: &generator)
            events.set(.arrival(parcels.put(parcel)), at: passage(way, of: party, after: delay))
        }
    }

    /// Whose cable it takes, and in which direction; nil for a connection that was never anybody's.
    private func route(of parcel: Parcel) -> (Party, Cable.Direction)? {
        switch parcel {
        case .fromNode(let index, _, _, _), .telemetry(let index, _, _): (.host(index), .toController)
        case .toNode(let index, _, _): (.host(index), .fromController)
        case .request(_, let connection, _, _): parties[connection].map { ($0, .toController) }
        case .chunk(let index, _, _), .update(let index, _, _): (.watcher(index), .fromController)
        }
    }

    mutating func arrive(_ place: Int) {
        let parcel = parcels.take(place)
        switch parcel {
        case .toNode(let index, let connection, let message):
            guard hosts[index].connection == connection else { return }
            guard hosts[index].frozenUntil <= now.monotonic else {
                return events.set(.arrival(parcels.put(parcel)), at: hosts[index].frozenUntil)
            }
            stepNode(index, .controller(message))
        case .chunk(let index, let chunk, let pull): stepWatcher(index, .chunk(chunk, answering: pull))
        case .update(let index, let life, let update):
            guard watchers[index].subscription == life else { return }
            stepWatcher(index, .update(update))
        case .fromNode(_, let life, _, _), .telemetry(_, let life, _), .request(let life, _, _, _):
            guard let frozenUntil = lives[life]?.frozenUntil else { return }
            guard frozenUntil <= now.monotonic else {
                return events.set(.arrival(parcels.put(parcel)), at: frozenUntil)
            }
            arriveAtController(parcel)
        }
    }

    private mutating func arriveAtController(_ parcel: Parcel) {
        tell("controller hears \(parcel)")
        switch parcel {
        case .toNode, .chunk, .update: break
        case .fromNode(_, let life, let connection, let message):
            if case .rows = message.body { ledger.seen.insert("pull") }
            ledger.heard(message, at: connection, in: life)
            stepController(life, .node(connection, message))
        case .telemetry(_, let life, let telemetry): stepController(life, .telemetry(telemetry))
        case .request(let life, let connection, let digest, let request):
            if case .customer? = parties[connection] { ledger.heard(request, in: life) }
            stepController(life, .client(connection, request, digest: digest))
        }
    }
}
