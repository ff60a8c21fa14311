import FleetReplica
import UserText

/// The table as a file: the devices that it shows, in its order.
struct TableExport: Hashable, Sendable {
    /// The file formats.
    enum Format: String, CaseIterable, Sendable {
        /// Comma-separated values (RFC 4180) below a line of headings.
        case csv
        /// One JSON object a line, with the keys of `fleet devices --json`.
        case ndjson

        /// The format for the extension of a file's name; nil for any other.
        init?(ofFile name: String) {
            guard let format = Self.allCases.first(where: { name.lowercased().hasSuffix(".\($0.rawValue)") })
            else { return nil }
            self = format
        }
    }

    /// The path as typed.
    let path: String
    /// The content of the file.
    let content: [UInt8]
    /// The number of devices.
    let devices: Int
    /// Whether an existing file is replaced.
    let replaces: Bool

    /// An export of those values.
    init(path: String, content: [UInt8], devices: Int, replaces: Bool = false) {
        (self.path, self.content, self.devices, self.replaces) = (path, content, devices, replaces)
    }

    /// The same export, which replaces an existing file.
    var replacing: TableExport {
        TableExport(path: path, content: content, devices: devices, replaces: true)
    }

    static func bytes(
        of rows: some Sequence<ReplicaRow>, in replica: Replica, as format: Format, _ csv: CSVText
    ) -> [UInt8] {
        var output: [UInt8] = []
        if format == .csv { append(csv.record(ListedDevice.csvHeadings), to: &output) }
        for row in rows {
            let device = ListedDevice(row, of: replica)
            switch format {
            case .csv: append(csv.record(device.csvFields), to: &output)
            case .ndjson: output += JSONWriter.bytes(of: device.json) + [UInt8(ascii: "\n")]
            }
        }
        return output
    }

    private static func append(_ record: String, to output: inout [UInt8]) {
        output += record.utf8
        output += "\r\n".utf8
    }
}
