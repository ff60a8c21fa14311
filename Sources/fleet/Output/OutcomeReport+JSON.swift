import FleetProtocol

extension OutcomeReport {
    /// Its line in `fleet toggle --json`, every key there, null where there is nothing to tell.
    ///
    /// `latencyUs` is the controller's: from the request's arrival to its end.
    var json: JSONValue {
        [
            "requestID": .string(requestID.description),
            "device": .text(device),
            "outcome": .string(outcome.name),
            "state": outcome.state?.state.json ?? .null,
            "version": outcome.state.map { .unsigned($0.version.value) } ?? .null,
            "incarnation": .text(outcome.state?.incarnation),
            "attempts": .integer(Int64(attempts)),
            "latencyUs": .unsigned(timing.totalUs),
            "actor": .string(actor.address),
        ]
    }
}

extension ACState {
    /// Its member `state` in `fleet toggle --json`.
    var json: JSONValue {
        [
            "on": .bool(isOn),
            "mode": .string(mode.name),
            "targetTemperature": .integer(Int64(targetCelsius)),
            "fanLevel": .string(fanLevel.name),
        ]
    }
}
