public import FleetProtocol

extension OutcomeReport {
    /// How it ended, for scripts: every key there, null where there is nothing to tell.
    ///
    /// `latencyUs` is the controller's: from the request's arrival to its end.
    public var endMembers: [JSONValue.Member] {
        let state = outcome.state
        return [
            .init("outcome", .string(outcome.name)),
            .init("state", state.map { .object($0.state.members) } ?? .null),
            .init("version", state.map { .unsigned($0.version.value) } ?? .null),
            .init("incarnation", .text(state?.incarnation)),
            .init("attempts", .integer(Int64(attempts))),
            .init("latencyUs", .unsigned(timing.totalUs)),
            .init("actor", .string(actor.address)),
            .init("command", .text(command?.name)),
        ]
    }
}

extension ACState {
    /// All that can be set, for scripts.
    public var members: [JSONValue.Member] {
        [
            .init("on", .bool(isOn)),
            .init("mode", .string(mode.name)),
            .init("targetTemperature", .integer(Int64(targetTemperature))),
            .init("fanLevel", .string(fanLevel.name)),
            .init("swing", .string(swing.name)),
            .init("horizontalSwing", .string(horizontalSwing.name)),
            .init("light", .string(light.name)),
            .init("temperatureUnit", .string(temperatureUnit.letter)),
        ]
    }
}
