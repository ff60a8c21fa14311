import FleetProtocol
import UserText

/// Reports the progress of a command queue: the end of each command once, and the running command.
struct QueueReporter {
    let names: QueueNames
    let isJSON: Bool
    let surroundings: Surroundings
    /// The number of ended commands that were reported.
    private var printed = 0
    private var shown = ""

    init(names: QueueNames, isJSON: Bool, surroundings: Surroundings) {
        (self.names, self.isJSON, self.surroundings) = (names, isJSON, surroundings)
    }

    /// Reports the changes since the last call; commands end in order.
    mutating func report(_ report: QueueReport) throws(CommandFailure) {
        while printed < report.endedCount {
            surroundings.showProgress(nil)
            shown = ""
            try surroundings.print(
                isJSON ? report.json(ofCommandAt: printed).line : Self.line(report, printed, names))
            printed += 1
        }
        show(report)
    }

    /// Reports how the command queue ended.
    ///
    /// - Returns: The exit status.
    func conclude(_ report: QueueReport) throws(CommandFailure) -> ExitStatus {
        surroundings.showProgress(nil)
        if isJSON {
            try surroundings.print(report.summary.json.line)
        } else {
            surroundings.notify("queue \(report.id) is \(report.standing)")
        }
        return ExitStatus(report)
    }

    /// The line for an ended command: its ID, and the outcome unless it was the requested one.
    private static func line(_ report: QueueReport, _ place: Int, _ names: QueueNames) -> String {
        let command = report.plan.commands[place]
        let label = SafeText.of(command.label)
        guard case .ended(_, let end) = report.progress[place], !end.kind.isSuccess else { return label }
        return "\(label): \(names[command.device]): \(SafeText.of(end.text))"
    }

    private mutating func show(_ report: QueueReport) {
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
    /// The exit status for a command queue's state.
    init(_ report: QueueReport) {
        self =
            switch report.state {
            case .running, .paused, .stopping, .cancelling: .undecided
            case .done: .done
            case .failed, .stopped, .cancelled: .refused
            }
    }
}
