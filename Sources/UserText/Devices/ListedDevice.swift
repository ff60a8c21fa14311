public import FleetProtocol

/// A device in the lists of commands and exports.
public struct ListedDevice: Equatable, Sendable, SelectableDevice {
    /// The device ID.
    public let id: DeviceID
    /// The display name.
    public let name: String
    /// The last reported state and its version.
    public let reported: DeviceState
    /// Whether the device is online, stale or offline.
    public let presence: Presence
    /// The time at which the controller received its state.
    public let asOf: WallTime
    /// Its group, with model and site; nil if its node reports none.
    public let group: DeviceGroup?
    /// The name of its node; nil if the controller has not reported it.
    public let node: NodeName?
    /// The last measurements of its pod; nil without any.
    public let measured: SnapshotChunk.Measured?
    /// The cause of the last change of its state.
    public let cause: ChangeCause
    /// The automation set on the device, such as timers and schedules; nil for none.
    public let settings: DeviceSettings?

    /// A device with the given values.
    public init(
        id: DeviceID, name: String, reported: DeviceState, presence: Presence, asOf: WallTime,
        group: DeviceGroup? = nil, node: NodeName? = nil, measured: SnapshotChunk.Measured? = nil,
        cause: ChangeCause = .request,
        settings: DeviceSettings? = nil
    ) {
        (self.id, self.name, self.reported) = (id, name, reported)
        (self.presence, self.asOf, self.group) = (presence, asOf, group)
        (self.node, self.measured, self.cause, self.settings) = (node, measured, cause, settings)
    }

    /// The device of a snapshot's row.
    public init(_ row: SnapshotChunk.Row, presence: Presence, group: DeviceGroup?, node: NodeName?) {
        self.init(
            id: row.device, name: row.name, reported: row.reported, presence: presence, asOf: row.asOf,
            group: group, node: node, measured: row.measured, cause: row.cause, settings: row.settings)
    }

    /// The name of its site; nil if unknown.
    public var siteName: String? { nonEmpty(group?.site) }

    /// The object of `fleet devices --json` and of exports, with keys in a stable order; every key is
    /// present, and unknown values are null.
    public var json: JSONValue {
        .object(
            [.init("id", .string(id.description)), .init("name", .string(name))] + members
                + [.init("node", .text(node?.text))])
    }

    /// The members of ``json`` without those that name the device and its node.
    public var members: [JSONValue.Member] {
        reported.state.members + [
            .init("presence", .string(presence.kind.name)),
            .init("reason", .text(presence.reason?.name)),
            .init("version", .unsigned(reported.version.value)),
            .init("incarnation", .string(reported.incarnation.description)),
            .init("asOf", .string(TimeText.iso8601(asOf))),
            .init("model", .text(group?.model.rawValue)), .init("site", .text(nonEmpty(group?.site))),
            .init("firmware", .text(nonEmpty(group?.firmware))),
            .init("remote", .text(group?.remote.rawValue)),
            .init("measurements", measured.map(Self.json) ?? .null),
            .init("cause", .text(reported.causeWord(cause))),
        ] + (settings ?? DeviceSettings()).members
    }

    /// Returns a text of the group; nil if it is empty.
    private func nonEmpty(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }

    private static func json(_ measured: SnapshotChunk.Measured) -> JSONValue {
        .object(measured.measurements.members + [.init("at", .string(TimeText.iso8601(measured.at)))])
    }
}

extension OutcomeReport {
    /// The JSON members of the outcome, for scripts; every key is present, and unknown values are null.
    ///
    /// `latencyUs` is the time from the request's arrival at the controller to its end.
    public var endMembers: [JSONValue.Member] {
        let state = outcome.state
        return [
            .init("outcome", .string(outcome.name)),
            .init("state", state.map { .object($0.state.members) } ?? .null),
            .init("version", state.map { .unsigned($0.version.value) } ?? .null),
            .init("incarnation", .text(state?.incarnation)),
            .init("attempts", .integer(Int64(attempts))),
            .init("latencyUs", .unsigned(timing.totalUs)),
            .init("user", .string(user.address)),
            // The former key of the user, until the next version.
            .init("actor", .string(user.address)),
            .init("command", .text(command?.name)),
        ]
    }
}

extension ACState {
    /// The JSON members of the state, for scripts.
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
