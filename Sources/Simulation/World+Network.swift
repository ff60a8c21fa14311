import ControllerCore
import DeviceCore
import FleetProtocol
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
        case .fromNode(let index, _, _), .telemetry(let index, _): hosts[index].mutedUntil > now.monotonic
        case .toNode(let index, _, _): hosts[index].deafenedUntil > now.monotonic
        case .request: false
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
        case .fromNode, .telemetry, .request:
            guard controllerFrozenUntil <= now.monotonic else {
                return events.set(.arrival(parcel), at: controllerFrozenUntil)
            }
            arriveAtController(parcel)
        }
    }

    private func arriveAtController(_ parcel: Parcel) {
        switch parcel {
        case .toNode: break
        case .fromNode(_, let connection, let message):
            if case .rows = message.body { ledger.seen.insert("pull") }
            stepController(.node(connection, message))
        case .telemetry(_, let telemetry): stepController(.telemetry(telemetry))
        case .request(let index, let request):
            ledger.heard(request, of: customers[index])
            stepController(.client(customers[index].connection, request, digest: customers[index].digest))
        }
    }
}
