import FleetProtocol
import UserText

/// Tells how a sequence goes: the end of each command once, and what runs.
struct SequenceTeller {
    /// What its devices are called.
    let names: SequenceNames
    /// Whether lines are for scripts.
    let isJSON: Bool
    /// The world.
    let surroundings: Surroundings
    /// How many commands have ended and were told.
    private var told = 0
    private var shown = ""

    init(names: SequenceNames, isJSON: Bool, surroundings: Surroundings) {
        (self.names, self.isJSON, self.surroundings) = (names, isJSON, surroundings)
    }

    /// Tells what has come about since the last time; commands end in their order.
    mutating func tell(_ report: SequenceReport) {
        while told < report.endedCount {
            surroundings.showProgress(nil)
            shown = ""
            surroundings.print(isJSON ? report.json(ofCommandAt: told).line : Self.line(report, told, names))
            told += 1
        }
        show(report)
    }

    /// Tells how it ended.
    ///
    /// - Returns: What the shell is told.
    func conclude(_ report: SequenceReport) -> ExitStatus {
        surroundings.showProgress(nil)
        if isJSON {
            surroundings.print(report.summary.json.line)
        } else {
            surroundings.say("sequence \(report.id) is \(report.standing)")
        }
        return ExitStatus(report)
    }

    /// A command that has ended: its id, and how where that is not what was wanted.
    private static func line(_ report: SequenceReport, _ place: Int, _ names: SequenceNames) -> String {
        let command = report.plan.commands[place]
        let label = SafeText.of(command.label)
        guard case .ended(_, let end) = report.progress[place], !end.kind.isSuccess else { return label }
        return "\(label): \(names[command.device]): \(SafeText.of(end.words))"
    }

    private mutating func show(_ report: SequenceReport) {
        var line = ""
        if let place = report.current {
            let command = report.plan.commands[place]
            line = "\(report.state.name): \(SafeText.of(command.label)) on \(names[command.device]), "
            line += "\(place + 1) of \(report.plan.commands.count), takes \(DurationText.text(command.takes))"
        } else if !report.state.isFinal {
            line = "\(report.state.name): \(report.endedCount) of \(report.plan.commands.count) have ended"
        }
        guard line != shown else { return }
        shown = line
        surroundings.showProgress(line.isEmpty ? nil : line)
    }
}

extension ExitStatus {
    /// The status of a sequence, by how it stands.
    init(_ report: SequenceReport) {
        self =
            switch report.state {
            case .running, .paused, .stopping, .cancelling: .undecided
            case .done: .done
            case .failed, .stopped, .cancelled: .refused
            }
    }
}
