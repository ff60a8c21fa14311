import FleetProtocol
import FleetReplica
import UserText

/// The table as a file: the devices that it shows, in its order.
struct TableExport: Hashable, Sendable {
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

    let path: String
    let content: [UInt8]
    let devices: Int
    var replaces = false

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

extension ViewModel {
    /// The question or text field above the table; nil for none.
    var prompt: String? {
        switch focus {
        case .fileName: "export \(table.rowCount) devices to: \(SafeText.of(dialogs.export.fileName))"
        case .replacing:
            "\(SafeText.of(dialogs.export.replacement?.path ?? "")) already exists: replace it? y n"
        case .stopping: "q again: stop the fleet for everyone; any other key: leave it running"
        case .table, .filter, .details, .help, .roster, .log, .logFilter, .columns: nil
        }
    }

    /// Requests the export of the shown rows, in the format of the file's extension.
    mutating func export(_ replica: Replica, at now: Moment) -> ViewEffect? {
        let fileName = dialogs.export.fileName
        guard let format = TableExport.Format(ofFile: fileName) else {
            let fileExtensions = TableExport.Format.allCases.map { ".\($0.rawValue)" }.joined(
                separator: " or ")
            let text = "not exported to “\(SafeText.of(fileName))”: the name must end in \(fileExtensions)"
            hint = Hint(text, .failure, at: now.monotonic)
            return nil
        }
        table.follow(replica, at: now.monotonic)
        focus = .table
        return .export(
            TableExport(
                path: fileName, content: table.export(replica, as: format, dialogs.export.csv),
                devices: table.rowCount))
    }

    mutating func replace() -> ViewEffect? {
        focus = .table
        return dialogs.export.popReplacement().map { .export($0.replacing) }
    }
}

struct ExportDialog: Sendable {
    private static let fileNameLength = 255

    private(set) var fileName = "devices.csv"
    var csv = CSVText()
    /// The export that would replace an existing file; nil unless the user is asked about it.
    var replacement: TableExport?

    mutating func type(_ character: Character) {
        if fileName.count < Self.fileNameLength { fileName.append(character) }
    }

    mutating func erase() { fileName = String(fileName.dropLast()) }

    /// Returns the export that the user has confirmed, and forgets it.
    mutating func popReplacement() -> TableExport? {
        defer { replacement = nil }
        return replacement
    }
}
