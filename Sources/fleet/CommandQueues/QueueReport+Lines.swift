import FleetProtocol
import UserText

extension QueueReport {
    /// The command queue for people, a line for each command.
    func lines(_ names: QueueNames) -> [String] {
        var table = TextTable([("COMMAND", .left), ("DEVICE", .left), ("TAKES", .right), ("STATE", .left)])
        for (command, progress) in zip(plan.commands, progress) {
            let state = if case .ended(_, let end) = progress { end.text } else { progress.name }
            table.add([command.label, names[command.device], DurationText.text(command.takes), state])
        }
        let head = "queue \(id) of \(author), started \(TimeText.iso8601(startedAt))"
        return [head, "is \(standing); on failure: \(plan.onFailure.name)"] + table.lines
    }
}

extension QueueSummary {
    static func columns(at now: WallTime) -> [TextTable.Column<QueueSummary>] {
        [
            ("QUEUE", .left, { $0.id.description }), ("STATE", .left, { $0.state.name }),
            ("ENDED", .right, { "\($0.ended) of \($0.commands)" }), ("FAILED", .right, { "\($0.failed)" }),
            ("AGE", .right, { TimeText.age($0.startedAt.duration(to: now)) }),
            ("BY", .left, { $0.author.address }),
        ]
    }
}

/// The names of a command queue's devices.
struct QueueNames: Sendable {
    private let names: [DeviceID: String]

    init(_ plan: QueuePlan, in directory: DeviceDirectory) {
        let wanted = Set(plan.commands.map(\.device))
        names = Dictionary(
            directory.devices.filter { wanted.contains($0.id) }.map { ($0.id, $0.name) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The name of a device, safe for a terminal; the ID of an unknown one.
    subscript(device: DeviceID) -> String {
        names[device].map { $0.isEmpty ? device.description : SafeText.of($0) } ?? device.description
    }
}
