import FleetProtocol
import UserText

/// A device in a list: with its labels, and in a watched list with the change that the line reports.
struct DeviceLine: Equatable, Sendable {
    enum Change: String, Sendable {
        /// The device was in the list at the start.
        case listed
        /// It has joined the fleet, or satisfies the filter from now on.
        case added
        /// Its state, presence or settings changed.
        case changed
        /// It has left the fleet, or no longer satisfies the filter.
        case removed
    }

    let device: ListedDevice
    /// Its labels; empty if the list does not show labels.
    var labels: [Label] = []
    /// The change; nil in a list that is not watched.
    var change: Change?

    var labelText: String { labels.map(\.text).joined(separator: " ") }
}

/// A column of the list of devices, by which the list can be sorted.
enum DeviceColumn: String, CaseIterable, Sendable {
    case id, name, state, mode, target, fan, room, humidity, presence, node, site, model, labels, version
    case asOf = "as-of"

    static let narrow: [DeviceColumn] = [
        .id, .name, .state, .mode, .target, .room, .presence, .version, .asOf,
    ]

    static let wide = allCases

    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    var heading: (String, TextTable.Alignment) {
        switch self {
        case .target, .room, .humidity, .version: (rawValue.uppercased(), .right)
        case .asOf: ("AS OF", .left)
        case .id, .name, .state, .mode, .fan, .presence, .node, .site, .model, .labels:
            (rawValue.uppercased(), .left)
        }
    }

    /// Returns the text of a device; empty if the value is not known.
    func text(of line: DeviceLine) -> String {
        let device = line.device
        let state = device.reported.state
        return switch self {
        case .id: device.id.description
        case .name: device.label
        case .state: state.power
        case .mode: state.mode.name
        case .target: state.target
        case .fan: state.fanLevel.name
        case .room: device.measured?.measurements.celsiusText ?? ""
        case .humidity: device.measured.map { "\($0.measurements.humidityPercent) %" } ?? ""
        case .presence: device.presence.kind.shortText
        case .node: device.node?.text ?? ""
        case .site: device.siteName ?? ""
        case .model: device.group?.model.rawValue ?? ""
        case .labels: line.labelText
        case .version: device.reported.version.description
        case .asOf: TimeText.iso8601(device.asOf)
        }
    }

    fileprivate enum Rank {
        case number(Int64)
        case text(String)

        func precedes(_ other: Rank) -> Bool {
            switch (self, other) {
            case (.number(let left), .number(let right)): left < right
            case (.text(let left), .text(let right)): NaturalOrder.precedes(left, right)
            case (.number, .text), (.text, .number):
                preconditionFailure("two kinds of value in one column: \(self), \(other)")
            }
        }
    }

    /// Returns the value of a device; nil if it is not known.
    fileprivate func rank(of line: DeviceLine) -> Rank? {
        let measurements = line.device.measured?.measurements
        switch self {
        case .target: return .number(Int64((line.device.reported.state.targetCelsius * 10).rounded()))
        case .room: return measurements.map { .number(Int64($0.deciCelsius)) }
        case .humidity: return measurements.map { .number(Int64($0.humidityPermille)) }
        case .version: return .number(Int64(clamping: line.device.reported.version.value))
        case .asOf: return .number(line.device.asOf.unixMilliseconds)
        case .id, .name, .state, .mode, .fan, .presence, .node, .site, .model, .labels:
            let text = text(of: line)
            return text.isEmpty ? nil : .text(text)
        }
    }
}

/// The order of a list of devices: by columns, the first of which counts most.
struct DeviceOrder: Equatable, Sendable {
    private struct Key: Equatable {
        let column: DeviceColumn
        let isDescending: Bool
    }

    private let keys: [Key]

    /// The order of a text such as `site,-room`; nil if a part of it names no column.
    init?(_ text: String) {
        var keys: [Key] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let isDescending = part.hasPrefix("-")
            guard let column = DeviceColumn(rawValue: part.dropFirst(isDescending ? 1 : 0).lowercased())
            else { return nil }
            keys.append(Key(column: column, isDescending: isDescending))
        }
        self.keys = keys
    }

    var needsLabels: Bool { keys.contains { $0.column == .labels } }

    /// Returns the devices in this order; devices without a value are last, and equal ones keep their order.
    func sorted(_ lines: [DeviceLine]) -> [DeviceLine] {
        lines.enumerated().sorted { left, right in
            precedes(left.element, right.element) ?? (left.offset < right.offset)
        }.map(\.element)
    }

    /// Whether the first device precedes the second; nil if they are equal.
    private func precedes(_ left: DeviceLine, _ right: DeviceLine) -> Bool? {
        for key in keys {
            switch (key.column.rank(of: left), key.column.rank(of: right)) {
            case (nil, nil): continue
            case (nil, _): return false
            case (_, nil): return true
            case (let one?, let other?):
                if one.precedes(other) { return !key.isDescending }
                if other.precedes(one) { return key.isDescending }
            }
        }
        return nil
    }
}

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
