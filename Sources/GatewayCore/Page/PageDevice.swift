import FleetProtocol
public import ObserverCore
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
        let state = row.reported.state
        return [
            "id": .string(row.device.description),
            "name": .string(row.name),
            "site": .string(sites.name(of: row.device, told: group?.site ?? "")),
            "model": .text(group?.model.rawValue),
            "on": .bool(state.isOn),
            "mode": .string(state.mode.name),
            "targetTemperature": .integer(Int64(state.targetTemperature)),
            "unit": .string(state.temperatureUnit.letter),
            "fanLevel": .string(state.fanLevel.name),
            "incarnation": .string(row.reported.incarnation.description),
            "version": .unsigned(row.reported.version.value),
            "presence": .string(presence.kind.name),
            "presenceReason": .text(presence.reason?.name),
            "since": .integer(presence.since.unixMilliseconds),
            "temperature": row.measured.map { .number($0.measurements.celsius) } ?? .null,
            "humidity": row.measured.map { .number($0.measurements.humidityPercent) } ?? .null,
            "asOf": .integer((row.measured?.at ?? row.asOf).unixMilliseconds),
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
