import FleetProtocol
public import FleetReplica
import Stepping
public import Wording

/// A device as the page shows it.
public enum PageDevice {
    /// One row as a JSON object; temperatures in °C, but for the target, which is in its unit; times in unix
    /// milliseconds.
    ///
    /// `asOf` is when temperature and humidity were measured; otherwise, when its state was heard of.
    public static func json(
        _ row: ReplicaRow, of replica: Replica, at sites: PageSites = PageSites()
    ) -> JSONValue {
        let group = replica.group(of: row)
        let presence = replica.node(of: row).presence(of: row)
        let identity: [JSONValue.Member] = [
            .init("id", .string(row.device.description)),
            .init("name", .string(row.name)),
            .init("site", .string(sites.name(of: row.device, told: group?.site ?? ""))),
            .init("model", .text(group?.model.rawValue)),
        ]
        let condition: [JSONValue.Member] = [
            .init("presence", .string(presence.kind.name)),
            .init("presenceReason", .text(presence.reason?.name)),
            .init("since", .integer(presence.since.unixMilliseconds)),
            .init("temperature", row.measured.map { .number($0.measurements.celsius) } ?? .null),
            .init("humidity", row.measured.map { .number($0.measurements.humidityPercent) } ?? .null),
            .init("asOf", .integer((row.measured?.at ?? row.asOf).unixMilliseconds)),
        ]
        return .object(identity + members(of: row.reported) + condition)
    }

    /// A device's state with its version; the target temperature is in the unit of the state.
    static func members(of reported: DeviceState) -> [JSONValue.Member] {
        let state = reported.state
        return [
            .init("on", .bool(state.isOn)),
            .init("mode", .string(state.mode.name)),
            .init("targetTemperature", .integer(Int64(state.targetTemperature))),
            .init("unit", .string(state.temperatureUnit.letter)),
            .init("fanLevel", .string(state.fanLevel.name)),
            .init("incarnation", .string(reported.incarnation.description)),
            .init("version", .unsigned(reported.version.value)),
        ]
    }

    /// Every device, and the place in the stream that they are from.
    public static func list(of replica: Replica, at sites: PageSites = PageSites()) -> JSONValue {
        var devices: [JSONValue] = []
        devices.reserveCapacity(replica.deviceCount)
        replica.forEachRow { devices.append(json($0, of: replica, at: sites)) }
        return [
            "position": .string(ServerSentEvent.text(of: replica.position)),
            "settling": .bool(!replica.isWhole),
            "devices": .array(devices),
        ]
    }
}
