import FleetProtocol
import Stepping
import Wording

/// One device as the commands list and find it.
struct ListedDevice: Equatable, Sendable, SelectableDevice {
    /// Its name for machines.
    let id: DeviceID
    /// Its name for people.
    let name: String
    /// What it said last.
    let reported: DeviceState
    /// Whether it is there.
    let presence: Presence
    /// When the controller heard of its state.
    let asOf: WallTime
    /// What it has in common with others; nil where nobody said.
    let group: DeviceGroup?
    /// What its pod measured last; nil when that was not heard of.
    let measured: SnapshotChunk.Measured?
    /// What last changed its state.
    let cause: ChangeCause
    /// What it is set to do by itself; nil for nothing.
    let settings: DeviceSettings?

    /// The device of those values.
    init(
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

    /// Its line in `fleet devices --json`.
    var json: JSONValue {
        ListedDeviceJSON(
            id: id, name: name, reported: reported, presence: presence, asOf: asOf, group: group,
            measured: measured, cause: cause, settings: settings
        ).value
    }

    /// The name of its site; nil if unknown.
    var siteName: String? { group.flatMap { $0.site.isEmpty ? nil : $0.site } }

    /// What it is called in lines for people.
    var label: String { SafeText.label(name, of: id) }

    /// Its name and id for people, where one must be told from others.
    var longLabel: String { "\(label) (\(id))" }

    /// The devices as a table, in the order given.
    static func table(of devices: [ListedDevice]) -> TextTable {
        var table = TextTable([
            ("ID", .left), ("NAME", .left), ("STATE", .left), ("MODE", .left), ("TARGET", .right),
            ("ROOM", .right), ("PRESENCE", .left), ("VERSION", .right), ("AS OF", .left),
        ])
        for device in devices {
            let state = device.reported.state
            table.add([
                device.id.description, device.label, state.power, state.mode.name,
                state.target, device.measured?.measurements.celsiusWords ?? "",
                device.presence.kind.shortWords,
                device.reported.version.description,
                TimeText.iso8601(device.asOf),
            ])
        }
        return table
    }
}
