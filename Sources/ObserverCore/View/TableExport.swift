import FleetProtocol
import FleetReplica
import UserText

/// The table as a file: the devices that it shows, in its order.
public struct TableExport: Hashable, Sendable {
    /// The file formats.
    public enum Format: String, CaseIterable, Sendable {
        /// Comma-separated values (RFC 4180) below a line of headings.
        case csv
        /// One JSON object a line, with the keys of `fleet devices --json`.
        case ndjson

        /// The format for the extension of a file's name; nil for any other.
        public init?(ofFile name: String) {
            guard let format = Self.allCases.first(where: { name.lowercased().hasSuffix(".\($0.rawValue)") })
            else { return nil }
            self = format
        }
    }

    /// The path as typed.
    public let path: String
    /// The content of the file.
    public let content: [UInt8]
    /// The number of devices.
    public let devices: Int
    /// Whether an existing file is replaced.
    public let replaces: Bool

    /// An export of those values.
    public init(path: String, content: [UInt8], devices: Int, replaces: Bool = false) {
        (self.path, self.content, self.devices, self.replaces) = (path, content, devices, replaces)
    }

    /// The same export, which replaces an existing file.
    public var replacing: TableExport {
        TableExport(path: path, content: content, devices: devices, replaces: true)
    }

    private static let headings = [
        "id", "name", "node", "on", "mode", "targetTemperature", "temperatureUnit", "fanLevel", "presence",
        "reason", "presenceSince", "version", "incarnation", "asOf", "celsius", "humidityPercent",
        "measuredAt",
    ]

    /// Returns the rows of a replica in a format.
    static func bytes(of rows: some Sequence<ReplicaRow>, in replica: Replica, as format: Format) -> [UInt8] {
        var output: [UInt8] = []
        if format == .csv { append(headings, to: &output) }
        for row in rows {
            let presence = replica.node(of: row).presence(of: row)
            switch format {
            case .csv: append(fields(of: row, node: replica.node(of: row).label, presence), to: &output)
            case .ndjson:
                let device = ListedDevice(
                    id: row.device, name: row.name, reported: row.reported, presence: presence,
                    asOf: row.asOf, group: replica.group(of: row),
                    measured: row.measured, cause: row.cause, settings: replica.settings(of: row.device))
                device.json.append(to: &output)
                output.append(UInt8(ascii: "\n"))
            }
        }
        return output
    }

    private static func fields(of row: ReplicaRow, node: String, _ presence: Presence) -> [String] {
        let state = row.reported.state
        let measured = row.measured
        return [
            row.device.description, SafeText.of(row.name), node, "\(state.isOn)", state.mode.name,
            "\(state.targetTemperature)", state.temperatureUnit.letter, state.fanLevel.name,
            presence.kind.name, presence.reason?.name ?? "", TimeText.iso8601(presence.since),
            row.reported.version.description, row.reported.incarnation.description,
            TimeText.iso8601(row.asOf), measured.map { "\($0.measurements.celsius)" } ?? "",
            measured.map { "\($0.measurements.humidityPercent)" } ?? "",
            measured.map { TimeText.iso8601($0.at) } ?? "",
        ]
    }

    /// Appends a record; fields are quoted if necessary.
    private static func append(_ fields: [String], to output: inout [UInt8]) {
        for (number, field) in fields.enumerated() {
            if number > 0 { output.append(UInt8(ascii: ",")) }
            let isPlain = !field.utf8.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }
            output += (isPlain ? field : "\"\(field.replacing("\"", with: "\"\""))\"").utf8
        }
        output += "\r\n".utf8
    }
}
