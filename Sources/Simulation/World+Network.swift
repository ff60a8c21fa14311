import ControllerCore
import DeviceCore
import FleetProtocol
import ObserverCore
import Stepping

/// The network: it loses, doubles, holds up and so reorders.
extension World {
    func post(_ parcel: Parcel) {
        guard !isCut(parcel) else { return }
        if case .telemetry = parcel, Double.random(in: 0..<1, using: &generator) < weather.telemetryLost {
            return
        }
        for delay in weather.delays(using: &generator) {
            events.set(.arrival(parcel), at: now.monotonic.advanced(by: delay))
        }
    }

    private func isCut(_ parcel: Parcel) -> Bool {
        switch parcel {
        case .fromNode(let index, _, _, _), .telemetry(let index, _, _):
            hosts[index].mutedUntil > now.monotonic
        case .toNode(let index, _, _): hosts[index].deafenedUntil > now.monotonic
        case .request, .chunk, .update: false
        }
    }

    func arrive(_ parcel: Parcel) {
        switch parcel {
        case .toNode(let index, let connection, let message):
            guard hosts[index].connection == connection else { return }
            guard hosts[index].frozenUntil <= now.monotonic else {
                return events.set(.arrival(parcel), at: hosts[index].frozenUntil)
            }
            stepNode(index, .controller(message))
        case .chunk(let index, let chunk, let pull): stepWatcher(index, .chunk(chunk, answering: pull))
        case .update(let index, let life, let update):
            guard watchers[index].subscription == life else { return }
            stepWatcher(index, .update(update))
        case .fromNode(_, let life, _, _), .telemetry(_, let life, _), .request(let life, _, _, _):
            guard let frozenUntil = lives[life]?.frozenUntil else { return }
            guard frozenUntil <= now.monotonic else { return events.set(.arrival(parcel), at: frozenUntil) }
            arriveAtController(parcel)
        }
    }

    private func arriveAtController(_ parcel: Parcel) {
        tell("controller hears \(parcel)")
        switch parcel {
        case .toNode, .chunk, .update: break
        case .fromNode(_, let life, let connection, let message):
            if case .rows = message.body { ledger.seen.insert("pull") }
            stepController(life, .node(connection, message))
        case .telemetry(_, let life, let telemetry): stepController(life, .telemetry(telemetry))
        case .request(let life, let connection, let digest, let request):
            if case .customer? = parties[connection] { ledger.heard(request, in: life) }
            stepController(life, .client(connection, request, digest: digest))
        }
    }
}
