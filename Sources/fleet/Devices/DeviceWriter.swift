import FleetProtocol
import UserText

enum DeviceFormat: String, CaseIterable, Sendable {
    case table
    /// A table with every column.
    case wide
    case json
    /// Comma-separated values (RFC 4180) below a line of headings.
    case csv
    case name

    var hasLabels: Bool { self == .wide || self == .csv }
    var isTable: Bool { self == .table || self == .wide }
}

/// Writes devices in a format: first a list, then, if it is watched, a line for each change.
struct DeviceWriter: Sendable {
    private let format: DeviceFormat
    private let csv: CSVText
    private let isWatched: Bool
    /// The table so far, which has the widths of its columns.
    private var table: TextTable

    init(_ format: DeviceFormat, _ csv: CSVText, isWatched: Bool = false) {
        (self.format, self.csv, self.isWatched) = (format, csv, isWatched)
        let change: [(String, TextTable.Alignment)] = isWatched ? [("CHANGE", .left)] : []
        table = TextTable(Self.columns(of: format).map(\.heading) + change)
    }

    private static func columns(of format: DeviceFormat) -> [DeviceColumn] {
        format == .wide ? DeviceColumn.wide : DeviceColumn.narrow
    }

    /// Returns the lines of the list, with headings if the format has them.
    mutating func lines(of devices: [DeviceLine]) -> [String] {
        switch format {
        case .table, .wide:
            for device in devices { table.add(cells(of: device)) }
            return table.lines
        case .csv:
            let headings = ListedDevice.csvHeadings + ["model", "site", "labels"]
            return [record(headings + (isWatched ? ["change"] : []))] + devices.map(line)
        case .json, .name: return devices.map(line)
        }
    }

    func line(of device: DeviceLine) -> String {
        switch format {
        case .table, .wide: return table.line(of: cells(of: device))
        case .json:
            let change: JSONObject = device.change.map { ["change": $0.rawValue] } ?? [:]
            return (device.device.json + change).line
        case .csv:
            let listed = device.device
            let group = [listed.group?.model.rawValue ?? "", SafeText.of(listed.siteName ?? "")]
            return record(
                listed.csvFields + group + [device.labelText] + (device.change.map { [$0.rawValue] } ?? []))
        case .name: return device.device.label
        }
    }

    private func cells(of device: DeviceLine) -> [String] {
        let cells = Self.columns(of: format).map { $0.text(of: device) }
        guard isWatched else { return cells }
        return cells + [device.change.map { $0 == .listed ? "" : $0.rawValue } ?? ""]
    }

    /// The record with the carriage return that RFC 4180 requires before the line feed.
    private func record(_ fields: [String]) -> String { csv.record(fields) + "\r" }
}

struct DeviceQuery: Sendable {
    /// The selectors; empty for all devices.
    var selectors: [String] = []
    var filter: Condition?
    /// The order; nil for the order of the controller.
    var order: DeviceOrder?

    /// Returns the devices of the list, in the order of the directory.
    func devices(of directory: DeviceDirectory) throws(CommandFailure) -> [ListedDevice] {
        let selected = try directory.listed(by: selectors)
        guard let filter else { return selected }
        return selected.filter { filter.holds(of: $0) }
    }

    func condition(in directory: DeviceDirectory) throws(CommandFailure) -> Condition? {
        guard let selected = try directory.condition(for: selectors) else { return filter }
        return filter.map { .and(selected, $0) } ?? selected
    }

    func sorted(_ lines: [DeviceLine]) -> [DeviceLine] { order?.sorted(lines) ?? lines }
}
