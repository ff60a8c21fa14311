import FleetProtocol
import FleetTime
import UserText

extension SequenceReport {
    /// The sequence for people, a line for each command.
    func lines(_ names: SequenceNames) -> [String] {
        var table = TextTable([("COMMAND", .left), ("DEVICE", .left), ("TAKES", .right), ("STATE", .left)])
        for (command, progress) in zip(plan.commands, progress) {
            let state = if case .ended(_, let end) = progress { end.words } else { progress.name }
            table.add([command.label, names[command.device], DurationText.text(command.takes), state])
        }
        let head = "sequence \(id) of \(author), started \(TimeText.iso8601(startedAt))"
        return [head, "is \(standing); on failure: \(plan.onFailure.name)"] + table.lines
    }
}

extension SequenceSummary {
    /// A table of sequences.
    static func table(of sequences: [SequenceSummary], at now: WallTime) -> TextTable {
        var table = TextTable([
            ("SEQUENCE", .left), ("STATE", .left), ("ENDED", .right), ("FAILED", .right), ("AGE", .right),
            ("BY", .left),
        ])
        for sequence in sequences {
            table.add([
                sequence.id.description, sequence.state.name, "\(sequence.ended) of \(sequence.commands)",
                "\(sequence.failed)", TimeText.age(sequence.startedAt.duration(to: now)),
                sequence.author.address,
            ])
        }
        return table
    }
}

/// The names of a sequence's devices.
struct SequenceNames: Sendable {
    private let names: [DeviceID: String]

    /// The names of a plan's devices in a directory.
    init(_ plan: SequencePlan, in directory: DeviceDirectory) {
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
