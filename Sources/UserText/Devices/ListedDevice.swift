public import FleetProtocol
public import FleetTime

/// A device as commands and exports list and select it.
public struct ListedDevice: Equatable, Sendable, SelectableDevice {
    /// The device ID.
    public let id: DeviceID
    /// The display name.
    public let name: String
    /// The last reported state and its version.
    public let reported: DeviceState
    /// Whether the device is online, stale or offline.
    public let presence: Presence
    /// When the controller last received its state.
    public let asOf: WallTime
    /// The group of devices that it belongs to, with the site; nil where its node named none.
    public let group: DeviceGroup?
    /// The last measurements of its pod; nil when the controller has received none.
    public let measured: SnapshotChunk.Measured?
    /// The cause of the last change of its state.
    public let cause: ChangeCause
    /// The automation set on the device, such as timers and schedules; nil for none.
    public let settings: DeviceSettings?

    /// A device with the given values.
    public init(
        id: DeviceID, name: String, reported: DeviceState, presence: Presence, asOf: WallTime,
        group: DeviceGroup? = nil, measured: SnapshotChunk.Measured? = nil, cause: ChangeCause = .request,
        settings: DeviceSettings? = nil
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

    /// The name of its site; nil if unknown.
    public var siteName: String? { told(group?.site) }

    /// The object of `fleet devices --json` and of exports, its keys in a stable order: every key is there,
    /// null where nothing is known.
    public var json: JSONValue {
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
