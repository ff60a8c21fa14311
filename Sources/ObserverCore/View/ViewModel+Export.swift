import FleetReplica
import FleetTime
import UserText

/// The table as a file.
extension ViewModel {
    /// What is being asked above the table; nil while nothing is.
    var prompt: String? {
        switch focus {
        case .fileName: "export \(order.places.count) devices to: \(SafeText.of(fileName))"
        case .replacing: "\(SafeText.of(asked?.path ?? "")) is there already: replace it? y n"
        case .stopping: "q again: stop the fleet for everyone; any other key: leave it running"
        case .table, .filter, .details, .help, .roster, .log: nil
        }
    }

    /// Writes what the table shows, in the format that the name says.
    mutating func export(_ replica: Replica, at now: Moment) -> ViewEffect? {
        guard let format = TableExport.Format(ofFile: fileName) else {
            let endings = TableExport.Format.allCases.map { ".\($0.rawValue)" }.joined(separator: " or ")
            let words = "not exported to “\(SafeText.of(fileName))”: the name must end in \(endings)"
            hint = Hint(words, .failure, at: now.monotonic)
            return nil
        }
        followOrder(of: replica, at: now.monotonic)
        focus = .table
        let rows = order.places.lazy.map { replica.devices[$0] }
        return .export(
            TableExport(
                path: fileName, content: TableExport.bytes(of: rows, in: replica, as: format),
                devices: order.places.count))
    }

    /// Writes over the file that was there.
    mutating func replace() -> ViewEffect? {
        defer { asked = nil }
        focus = .table
        return asked.map { .export($0.replacing) }
    }
}
