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
        return [head, "is \(standing); at a failure: \(plan.onFailure.name)"] + table.lines
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
