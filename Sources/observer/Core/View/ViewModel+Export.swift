import FleetProtocol
import FleetReplica
import UserText

/// The export of the table to a file.
extension ViewModel {
    /// The question or text field above the table; nil for none.
    var prompt: String? {
        switch focus {
        case .fileName: "export \(table.rowCount) devices to: \(SafeText.of(exporting.fileName))"
        case .replacing: "\(SafeText.of(exporting.replacement?.path ?? "")) already exists: replace it? y n"
        case .stopping: "q again: stop the fleet for everyone; any other key: leave it running"
        case .table, .filter, .details, .help, .roster, .log, .logFilter, .columns: nil
        }
    }

    /// Requests the export of the shown rows, in the format of the file's extension.
    mutating func export(_ replica: Replica, at now: Moment) -> ViewEffect? {
        let fileName = exporting.fileName
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
                path: fileName, content: table.export(replica, as: format, exporting.csv),
                devices: table.rowCount))
    }

    /// Requests the export that replaces the existing file.
    mutating func replace() -> ViewEffect? {
        focus = .table
        return exporting.popReplacement().map { .export($0.replacing) }
    }
}

/// The dialog for the file to export to.
struct ExportDialog: Sendable {
    /// The maximum length of a file's name, characters.
    private static let fileNameLength = 255

    /// The file's name as typed so far.
    private(set) var fileName = "devices.csv"
    /// The writer of CSV.
    var csv = CSVText()
    /// The export that would replace an existing file; nil unless the user is asked about it.
    var replacement: TableExport?

    /// Appends a character to the name, unless it has the maximum length.
    mutating func type(_ character: Character) {
        if fileName.count < Self.fileNameLength { fileName.append(character) }
    }

    /// Deletes the last character of the name.
    mutating func erase() { fileName = String(fileName.dropLast()) }

    /// Returns the export that the user has confirmed, and forgets it.
    mutating func popReplacement() -> TableExport? {
        defer { replacement = nil }
        return replacement
    }
}
