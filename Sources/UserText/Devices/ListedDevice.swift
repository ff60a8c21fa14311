public import FleetProtocol

public struct ListedDevice: Equatable, Sendable, SelectableDevice {
    public let id: DeviceID
    public let name: String
    public let reported: DeviceState
    public let presence: Presence
    /// The time at which the controller received its state.
    public let asOf: WallTime
    /// Its group, with model and site; nil if its node reports none.
    public let group: DeviceGroup?
    public let node: NodeName?
    /// The last measurements of its pod; nil without any.
    public let measured: SnapshotChunk.Measured?
    public let cause: ChangeCause
    /// The automation set on the device, such as timers and schedules; nil for none.
    public let settings: DeviceSettings?

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

    public init(_ row: SnapshotChunk.Row, presence: Presence, group: DeviceGroup?, node: NodeName?) {
        self.init(
            id: row.device, name: row.name, reported: row.reported, presence: presence, asOf: row.asOf,
            group: group, node: node, measured: row.measured, cause: row.cause, settings: row.settings)
    }

    public var siteName: String? { group?.site.nonEmpty }

    /// The object of `fleet devices --json` and of exports, with keys in a stable order; every key is
    /// present, and unknown values are null.
    public var json: JSONObject { ["id": id.description, "name": name] + members + ["node": node?.text] }

    /// The members of ``json`` without those that name the device and its node.
    public var members: JSONObject {
        reported.state.members + [
            "presence": presence.kind.name, "reason": presence.reason?.name,
            "version": reported.version.value, "incarnation": reported.incarnation.description,
            "asOf": TimeText.iso8601(asOf), "model": group?.model.rawValue, "site": group?.site.nonEmpty,
            "firmware": group?.firmware.nonEmpty, "remote": group?.remote.rawValue,
            "measurements": measured.map(Self.json), "cause": reported.causeWord(cause),
        ] + (settings ?? DeviceSettings()).members
    }

    private static func json(_ measured: SnapshotChunk.Measured) -> JSONObject {
        measured.measurements.members + ["at": TimeText.iso8601(measured.at)]
    }
}

extension OutcomeReport {
    /// The JSON members of the outcome, for scripts; every key is present, and unknown values are null.
    /// `latencyUs` is the time from the request's arrival at the controller to its end.
    public var endMembers: JSONObject {
        let state = outcome.state
        return [
            "outcome": outcome.name, "state": state?.state.members, "version": state?.version.value,
            "incarnation": state?.incarnation.description, "attempts": attempts,
            "latencyUs": timing.totalUs, "user": user.address,
            // The former key of the user, until the next version.
            "actor": user.address, "command": command?.name,
        ]
    }
}

extension ACState {
    public var members: JSONObject {
        [
            "on": isOn, "mode": mode.name, "targetTemperature": targetTemperature, "fanLevel": fanLevel.name,
            "swing": swing.name, "horizontalSwing": horizontalSwing.name, "light": light.name,
            "temperatureUnit": temperatureUnit.letter,
        ]
    }
}

extension ListedDevice: ConditionSubject {
    public var subjectID: DeviceID? { id }
    public var subjectName: String? { name }
    public var nodeName: NodeName? { node }
    public var subjectGroup: DeviceGroup? { group }
    public var acState: ACState? { reported.state }
    public var presenceKind: Presence.Kind? { presence.kind }
    public var measurements: Measurements? { measured?.measurements }
    /// Nil: no request has just ended.
    public var outcome: Outcome? { nil }
}

extension ListedDevice {
    public static let csvHeadings = [
        "id", "name", "node", "on", "mode", "targetTemperature", "temperatureUnit", "fanLevel", "presence",
        "reason", "presenceSince", "version", "incarnation", "asOf", "celsius", "humidityPercent",
        "measuredAt",
    ]

    /// The fields of a record of comma-separated values; unknown values are empty.
    public var csvFields: [String] {
        let state = reported.state
        return [
            id.description, SafeText.of(name), node?.text ?? "?", "\(state.isOn)", state.mode.name,
            "\(state.targetTemperature)", state.temperatureUnit.letter, state.fanLevel.name,
            presence.kind.name, presence.reason?.name ?? "", TimeText.iso8601(presence.since),
            reported.version.description, reported.incarnation.description, TimeText.iso8601(asOf),
            measured.map { "\($0.measurements.celsius)" } ?? "",
            measured.map { "\($0.measurements.humidityPercent)" } ?? "",
            measured.map { TimeText.iso8601($0.at) } ?? "",
        ]
    }
}
