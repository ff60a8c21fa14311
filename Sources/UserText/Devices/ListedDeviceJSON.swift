public import FleetProtocol
public import FleetTime

/// A device as `fleet devices --json` and exports list it: every key there, null where nothing is known.
public struct ListedDeviceJSON: Sendable {
    private let id: DeviceID
    private let name: String
    private let reported: DeviceState
    private let presence: Presence
    private let asOf: WallTime
    private let group: DeviceGroup?
    private let measured: SnapshotChunk.Measured?
    private let cause: ChangeCause
    private let settings: DeviceSettings?

    /// The device of those values.
    ///
    /// - Parameters:
    ///   - asOf: When the controller heard of its state.
    ///   - group: What it has in common with others; nil where nobody said.
    ///   - measured: What its pod measured last; nil when that was not heard of.
    ///   - cause: What last changed its state.
    ///   - settings: What it does by itself; nil where nobody has set anything.
    public init(
        id: DeviceID, name: String, reported: DeviceState, presence: Presence, asOf: WallTime,
        group: DeviceGroup?, measured: SnapshotChunk.Measured?, cause: ChangeCause,
        settings: DeviceSettings?
    ) {
        self.id = id
        self.name = name
        self.reported = reported
        self.presence = presence
        self.asOf = asOf
        self.group = group
        self.measured = measured
        self.cause = cause
        self.settings = settings
    }

    /// The object, its keys in a stable order.
    public var value: JSONValue {
        .object(
            [.init("id", .string(id.description)), .init("name", .string(name))]
                + reported.state.members + [
                    .init("presence", .string(presence.kind.name)),
                    .init("reason", .text(presence.reason?.name)),
                    .init("version", .unsigned(reported.version.value)),
                    .init("incarnation", .string(reported.incarnation.description)),
                    .init("asOf", .string(TimeText.iso8601(asOf))),
                    .init("model", .text(group?.model.rawValue)), .init("site", .text(told(group?.site))),
                    .init("firmware", .text(told(group?.firmware))),
                    .init("remote", .text(group?.remote.rawValue)),
                    .init("measurements", measured.map(Self.json) ?? .null),
                    .init("cause", .text(reported.causeWord(cause))),
                ] + (settings ?? DeviceSettings()).members)
    }

    /// A text of the group; nil for one that is empty, which nobody said.
    private func told(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }

    private static func json(_ measured: SnapshotChunk.Measured) -> JSONValue {
        .object(measured.measurements.members + [.init("at", .string(TimeText.iso8601(measured.at)))])
    }
}

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
